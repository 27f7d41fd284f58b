package import AuditLog

/// The lines of a log that are examined, and the number of those that are not.
package struct LogSample {
  /// The lines that are JSON objects, in the order of the log.
  package var lines: [SampleLine] = []
  package var pointers = PointerTable()
  /// Strings that stand for others.
  package internal(set) var wrappings: [FoundWrapping] = []
  /// The names of the inputs' files.
  package var sources: [String] = []
  /// The lines that are not a whole JSON object, without values.
  package internal(set) var unread: [SampleLine] = []
  /// The number of lines that damage of the input cut.
  var cut = 0
  /// The number of lines longer than ``SampleReader/lineBytes``.
  package var overlong = 0
  /// The files that are not JSON Lines, by their names, and their content.
  package var foreign: [(source: String, content: ForeignContent)] = []
  /// The array that holds several records on a line, if tokens are in such arrays.
  package internal(set) var recordArray: RecordArray?
  /// The array of each line whose elements are the sample's lines, or nil if each line is a record.
  package internal(set) var records: JSONPointer?
  /// The lines of the log, if the sample's lines are elements of them.
  package internal(set) var batches: [SampleLine] = []
  /// The faults of the inputs, one sentence each.
  package var damages: [String] = []
  /// Whether the inputs hold more than was examined.
  package var isPart = false

  /// A sentence about the lines that are not strict JSON, or nil if all are.
  package var oddJSON: String? {
    let odd = logLines.filter(\.isOdd)
    guard let first = odd.first else { return nil }
    let place = "line \(first.number) of \(sources[first.source])"
    let count = odd.count == 1 ? "1 line is" : "\(odd.count) lines are"
    let cause =
      odd.count { $0.bytes.firstRange(of: Array("\\x".utf8)) != nil } * 2 > odd.count
      ? "nginx wrote \\x without escape=json, which log_format needs"
      : "inspect shows why"
    return "\(count) not strict JSON, such as \(place): \(cause); an audit reads "
      + "\(odd.count == 1 ? "it" : "them") as record.odd_json"
  }

  /// The lines of the log that are JSON objects: they contain the sample's lines, or are them.
  package var logLines: [SampleLine] { batches.isEmpty ? lines : batches }

  /// Returns whether lines contain tokens, besides those of some indexes.
  package func hasHiddenTokens(besides known: Set<Int>) -> Bool {
    unread.contains(where: \.holdsToken)
      || lines.indices.contains { lines[$0].holdsToken && !known.contains($0) }
  }

  /// The number of lines of which nothing can be read.
  package var unreadable: Int { unread.count + cut }

  /// The number of lines that were read at all.
  package var count: Int { logLines.count + unreadable + overlong }

  /// Finds strings that stand for others, and reads the lines again with the unwrapped strings.
  /// Repeats this as long as there may be further ones inside.
  mutating func unwrap(_ document: JSONDocument) {
    for _ in 0..<2 {
      let known = Set(wrappings.map(\.pointer))
      let found = WrappingSearch(sample: self).find().filter { !known.contains($0.pointer) }
      guard !found.isEmpty else { return }
      wrappings += found
      for (index, line) in lines.enumerated() {
        let forms = Dictionary(
          wrappings.filter { $0.isOn(line) }.map { ($0.pointer, $0.form) }, uniquingKeysWith: { $1 }
        )
        guard !forms.isEmpty else { continue }
        (lines[index].values, lines[index].hasDuplicates) = LineFlattener.flatten(
          line.bytes[line.start...], &pointers, document, wrappings: forms)
      }
    }
  }

  /// Merges all spellings of a header into one pointer, and removes pointers that no schema can
  /// name.
  mutating func foldHeaders() {
    let canonical = pointers.foldHeaders(counts: lines.counts { _ in true })
    let refused = pointers.takenByPlace()
    var folded: Set<Int> = []
    wrappings = wrappings.compactMap { wrapping in
      let pointer = canonical[wrapping.pointer]
      guard folded.insert(pointer).inserted else { return nil }
      return FoundWrapping(
        pointer: pointer, form: wrapping.form, flag: wrapping.flag.map { canonical[$0] })
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
