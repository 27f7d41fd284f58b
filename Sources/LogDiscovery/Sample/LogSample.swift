import AppAttest
package import AuditLog

package struct SampleValue {
  /// The pointer's number in the sample's ``PointerTable``.
  var pointer: Int
  let kind: JSONDocument.Kind
  /// The UTF-8 of a decoded string, the text of a number or boolean, or empty.
  let text: ArraySlice<UInt8>
  /// The unchanged value in the line, or in the string that holds it.
  let raw: ArraySlice<UInt8>

  var string: String { String(decoding: text, as: UTF8.self) }

  /// Whether the value is a string or a number, of which fields are read.
  var isText: Bool { kind == .string || kind == .number }
}

/// One line of the sample: a JSON object.
package struct SampleLine {
  /// The index of the source in the order of the run.
  package let source: Int
  /// The number of the line in the decompressed stream, from 1.
  package let number: UInt64
  package internal(set) var bytes: [UInt8]
  /// The offset of the object in the bytes.
  var start = 0
  /// In a log with several records in a line, the texts of the record and of the line around it.
  var parts: (record: ArraySlice<UInt8>, line: ArraySlice<UInt8>)?
  /// The values of the line. No pointer occurs twice.
  var values: [SampleValue] = []
  /// Whether a name occurs twice somewhere, so that an audit may refuse the line.
  package var hasDuplicates = false
  /// Whether its object is JSON only with the tolerances of `records.R81`.
  package internal(set) var isOdd = false
  /// Whether an audit that skips the line reports a token in it, at any place, or the token is in a form that no audit
  /// reads.
  package internal(set) var holdsToken = false

  package var head: String { String(decoding: bytes.prefix(160), as: UTF8.self) }

  var hasPrefix: Bool { start > 0 }

  subscript(pointer: Int) -> SampleValue? { values.first { $0.pointer == pointer } }

  /// Returns whether a value other than `null` is at a pointer.
  func holds(_ pointer: Int) -> Bool { self[pointer].map { $0.kind != .null } ?? false }

  /// Reads a line whose object can follow other text.
  package static func read(_ bytes: [UInt8]) -> (line: SampleLine, pointers: PointerTable) {
    var pointers = PointerTable()
    var line = SampleLine(source: 0, number: 1, bytes: bytes)
    line.start = bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0
    line.flatten(&pointers, JSONDocument())
    return (line, pointers)
  }

  /// Finds the values of the line's record, and those of the line around it.
  mutating func flatten(
    _ pointers: inout PointerTable, _ document: JSONDocument,
    wrappings: [Int: SchemaWrapping.Form] = [:]
  ) {
    let record = LineFlattener.flatten(
      parts?.record ?? bytes[start...], &pointers, document, wrappings: wrappings)
    (values, hasDuplicates) = record
    guard let parts else { return }
    let line = LineFlattener.flatten(
      parts.line, &pointers, document, wrappings: wrappings, at: PointerTable.line)
    values += line.values
  }

  /// Returns the first texts of the line, each with a name for people.
  package func texts(_ pointers: PointerTable) -> [(name: String, bytes: [UInt8])] {
    values.filter { $0.kind == .string && !$0.text.isEmpty }.prefix(64).map {
      (pointers.words($0.pointer), Array($0.text))
    }
  }
}

extension Sequence where Element == SampleLine {
  /// Returns the number of lines that have a value of some sort, by its pointer.
  func counts(where isCounted: (SampleValue) -> Bool) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for line in self {
      for value in line.values where isCounted(value) { counts[value.pointer, default: 0] += 1 }
    }
    return counts
  }
}

extension [Int: Int] {
  /// The pointer with the highest count, the first of several.
  var most: (pointer: Int, count: Int)? {
    self.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
  }
}

extension LogSample {
  /// Returns what `find` finds in the values of the lines of some items, by their pointers.
  func collect<Item, Found>(
    _ items: some Sequence<Item>, at line: (Item) -> Int, _ find: (Item, SampleValue) -> Found?
  ) -> [Int: [Found]] {
    var all: [Int: [Found]] = [:]
    for item in items {
      for value in lines[line(item)].values {
        if let found = find(item, value) { all[value.pointer, default: []].append(found) }
      }
    }
    return all
  }
}

/// The lines of a log that are examined, and the number of those that are not.
package struct LogSample {
  /// The lines that are JSON objects, in the order of the log.
  package var lines: [SampleLine] = []
  package var pointers = PointerTable()
  /// Strings that stand for others.
  package internal(set) var wrappings: [FoundWrapping] = []
  package var sources: [String] = []
  /// The lines that are not a whole JSON object, without values.
  package internal(set) var unread: [SampleLine] = []
  /// The numbers of lines that damage of the input cut, and of those that are longer than 1 MiB.
  package internal(set) var (cut, overlong) = (0, 0)
  /// The files that are not JSON Lines, by their names, and their content.
  package var foreign: [(source: String, content: ForeignContent)] = []
  /// The array that holds several records on a line, if tokens are in such arrays.
  package internal(set) var recordArray: RecordArray?
  /// The array of each line whose elements are the sample's lines, and nil if lines without it are, too. Without any, each
  /// line is a record.
  package internal(set) var records: [JSONPointer?] = []
  /// The lines of the log, if the sample's lines are elements of them.
  package internal(set) var batches: [SampleLine] = []
  /// Tokens in a form that no audit reads, if there are any.
  package internal(set) var unreadBytes: UnreadBytes?
  /// The place at which compressed data follow lines in one file, with the command that writes what they contain, or nil.
  package internal(set) var packed: (words: String, command: String)?
  /// The faults of the inputs, one sentence each.
  package var damages: [String] = []
  /// Whether the inputs hold more than was examined.
  package var isPart = false

  /// The lines of the log that are JSON objects: they contain the sample's lines, or are them.
  package var logLines: [SampleLine] { batches.isEmpty ? lines : batches }

  /// Returns whether lines contain tokens, besides those of some indexes.
  package func hasHiddenTokens(besides known: Set<Int>) -> Bool {
    unread.contains(where: \.holdsToken)
      || lines.indices.contains { lines[$0].holdsToken && !known.contains($0) }
  }

  /// Returns a sentence about values that are cut: texts with a token that nothing else reads, nearly all of one length, and
  /// none at their pointer is longer (`reports.R66`). `known` are the indexes of lines with a token that was found.
  package func cutValues(besides known: Set<Int>) -> (count: Int, words: String)? {
    let hidden = lines.indices.filter { lines[$0].holdsToken && !known.contains($0) }
    let search = AuditLog.TokenSearch(AppAttestSniffer.tokenFront)
    let lengths = collect(hidden, at: \.self) { _, value in
      value.kind == .string && search.finds(value.text) ? value.text.count : nil
    }
    let cut = lengths.compactMap { pointer, lengths -> (pointer: Int, length: Int, count: Int)? in
      let most = Dictionary(lengths.map { ($0, 1) }, uniquingKeysWith: +).most
      guard let (length, count) = most, count >= 3, count * 10 >= hidden.count * 9,
        lines.allSatisfy({ $0[pointer].map { $0.text.count <= length } ?? true })
      else { return nil }
      return (pointer, length, count)
    }.min { ($0.length, $0.pointer) < ($1.length, $1.pointer) }
    return cut.map { pointer, length, count in
      (
        count,
        "values of \(pointers.text(pointer)) with a token end after \(length) bytes, the longest there"
      )
    }
  }

  package var unreadable: Int { unread.count + cut }

  package var count: Int { logLines.count + unreadable + overlong }

  /// Finds strings that stand for others and reads the lines again with them, twice at most.
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
        lines[index].flatten(&pointers, document, wrappings: forms)
      }
    }
  }

  /// Merges all spellings of a header, and removes pointers that no schema can name.
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
      for value in lines[index].values.indices {
        lines[index].values[value].pointer = canonical[lines[index].values[value].pointer]
      }
      lines[index].values.removeAll { refused.contains($0.pointer) }
      let all = lines[index].values
      lines[index].values = all.filter { seen.insert($0.pointer).inserted }
      if lines[index].values.count < all.count { lines[index].hasDuplicates = true }
    }
  }
}
