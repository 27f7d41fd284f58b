/// The lines of a log that are looked at, and how many were not.
struct LogSample {
  /// JSON objects, in the order of the log.
  var lines: [SampleLine] = []
  var pointers = PointerTable()
  /// The inputs' files, as they are named.
  var sources: [String] = []
  /// Lines that are no whole JSON object.
  var unreadable = 0
  /// Lines longer than ``SampleReader/lineBytes``.
  var overlong = 0
  /// What is wrong with an input, one sentence each.
  var damages: [String] = []
  /// Whether the inputs hold more than was looked at.
  var isPart = false

  /// Lines that were read at all.
  var count: Int { lines.count + unreadable + overlong }

  /// Lets all spellings of a header be one pointer.
  mutating func foldHeaders() {
    var counts: [Int: Int] = [:]
    for line in lines { for value in line.values { counts[value.pointer, default: 0] += 1 } }
    let canonical = pointers.foldHeaders(counts: counts)
    for index in lines.indices {
      var seen: Set<Int> = []
      var hasDuplicates = lines[index].hasDuplicates
      lines[index].values = lines[index].values.compactMap { value in
        var value = value
        value.pointer = canonical[value.pointer]
        if seen.insert(value.pointer).inserted { return value }
        hasDuplicates = true
        return nil
      }
      lines[index].hasDuplicates = hasDuplicates
    }
  }
}
