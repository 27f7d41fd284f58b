package import AuditLog

/// The lines of a log that are looked at, and how many were not.
package struct LogSample {
  /// JSON objects, in the order of the log.
  package var lines: [SampleLine] = []
  package var pointers = PointerTable()
  /// Strings that stand for others.
  package internal(set) var wrappings: [FoundWrapping] = []
  /// The inputs' files, as they are named.
  package var sources: [String] = []
  /// Lines that are no whole JSON object.
  package var unreadable = 0
  /// Lines longer than ``SampleReader/lineBytes``.
  package var overlong = 0
  /// Files that are no JSON Lines, by their names, and what they are.
  package var foreign: [(source: String, content: ForeignContent)] = []
  /// Lines that were cut into parts; nil where none were seen.
  package internal(set) var parts: LineParts?
  /// What is wrong with an input, one sentence each.
  package var damages: [String] = []
  /// True where the inputs hold more than was looked at.
  package var isPart = false

  /// Lines that were read at all.
  package var count: Int { lines.count + unreadable + overlong }

  /// Looks for strings that stand for others, and reads the lines anew with what these are; again
  /// where there may be some within.
  mutating func unwrap(_ document: JSONDocument) {
    for _ in 0..<2 {
      let found = WrappingSearch(sample: self).find().filter { wrapping in
        !wrappings.contains { $0.pointer == wrapping.pointer }
      }
      guard !found.isEmpty else { return }
      wrappings += found
      for index in lines.indices {
        var forms: [Int: SchemaWrapping.Form] = [:]
        for wrapping in wrappings where wrapping.isOn(lines[index]) {
          forms[wrapping.pointer] = wrapping.form
        }
        guard !forms.isEmpty else { continue }
        let line = lines[index]
        let flat = LineFlattener.flatten(
          line.bytes[line.start...], &pointers, document, wrappings: forms)
        lines[index].values = flat.values
        lines[index].hasDuplicates = flat.hasDuplicates
      }
    }
  }

  /// Lets all spellings of a header be one pointer, and leaves out what no schema can point at.
  mutating func foldHeaders() {
    var counts: [Int: Int] = [:]
    for line in lines { for value in line.values { counts[value.pointer, default: 0] += 1 } }
    let canonical = pointers.foldHeaders(counts: counts)
    let refused = pointers.takenByPlace()
    for index in wrappings.indices {
      wrappings[index].pointer = canonical[wrappings[index].pointer]
      wrappings[index].flag = wrappings[index].flag.map { canonical[$0] }
    }
    for index in lines.indices {
      var seen: Set<Int> = []
      var hasDuplicates = lines[index].hasDuplicates
      lines[index].values = lines[index].values.compactMap { value in
        var value = value
        value.pointer = canonical[value.pointer]
        guard !refused.contains(value.pointer) else { return nil }
        if seen.insert(value.pointer).inserted { return value }
        hasDuplicates = true
        return nil
      }
      lines[index].hasDuplicates = hasDuplicates
    }
  }
}
