/// The states of a line without a record that can explain findings (`reports.R66`).
package struct LineSigns: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let endsEarly = LineSigns(rawValue: 1)
  /// `null` is at a place through which a rule reads its records.
  package static let nullRecord = LineSigns(rawValue: 2)
  /// A route of a rule, and a token or body that is empty, `-` or `null`.
  package static let tokenless = LineSigns(rawValue: 4)
  /// A part of a line that a container runtime cut.
  package static let part = LineSigns(rawValue: 8)
}

/// Parts of lines, as container runtimes write them.
package enum LinePart {
  /// Returns whether a line is a part that another follows, as CRI marks it: a time, a stream and `P`.
  package static func isCRI(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.prefix(64).split(
      separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
    return words.count == 4 && words[0].first.map { (0x30...0x39).contains($0) } ?? false
      && (words[1].elementsEqual("stdout".utf8) || words[1].elementsEqual("stderr".utf8))
      && words[2].elementsEqual("P".utf8)
  }

  /// Returns whether a line is a part that another follows, as Docker writes it: an object whose `log` has no
  /// line end. Shippers remove the line ends, so a complete JSON value is not a part.
  package static func isDocker(_ line: ArraySlice<UInt8>, _ document: JSONDocument) -> Bool {
    guard line.first == UInt8(ascii: "{"), let values = document.read(line) else { return false }
    func text(_ name: String) -> ArraySlice<UInt8>? {
      values[...].parts.lazy.compactMap(\.first)
        .first { $0.kind == .string && $0.name?.elementsEqual(name.utf8) == true }?.text
    }
    guard let log = text("log"), let stream = text("stream") else { return false }
    guard log.last != 0x0A,
      stream.elementsEqual("stdout".utf8) || stream.elementsEqual("stderr".utf8)
    else { return false }
    return document.read(Array(log)[...]) == nil
  }
}

extension RecordReader {
  /// Returns what the text that was read last shows of the log if it is no record (`reports.R66`).
  package func signs(_ outcome: RecordOutcome) -> LineSigns {
    var signs: LineSigns = []
    var isObject = true
    switch outcome {
    case .record, .deviceCheckToken, .skipped(.otherPlatform): return []
    case .reject(let reject):
      isObject = reject.code != .malformedJSON
      if reject.endsEarly { signs.insert(.endsEarly) }
    case .skipped: break
    }
    if unsafe isPart(text) { signs.insert(.part) }
    switch source {
    case .record where isObject: signs.formUnion(mapper?.signs(json) ?? [])
    case .line where isObject && items?.isNull == true: signs.insert(.nullRecord)
    case .record, .line, .text:
      if unsafe text.elementsEqual("null".utf8) { signs.insert(.nullRecord) }
    }
    return signs
  }

  private func isPart(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = unsafe text.first else { return false }
    if first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") {
      return LinePart.isCRI(unsafe Array(text.prefix(64))[...])
    }
    guard first == UInt8(ascii: "{"),
      unsafe text.dropFirst().drop(while: { $0 <= 0x20 }).starts(with: "\"log\"".utf8)
    else { return false }
    return unsafe LinePart.isDocker(Array(text)[...], document)
  }
}
