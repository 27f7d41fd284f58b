import AppAttest

/// A decision whether one clientDataHash can be used twice (`records.R75`, `records.R96`).
package struct ReplayScopeChoice {
  /// The number of verified assertions whose client data contain no challenge of their own.
  private var needs = 0
  /// The number of verified assertions whose client data are known.
  private var known = 0

  /// Whether at least half of the verified assertions need `replayScope: exact`.
  package var isExact: Bool { known > 0 && needs * 2 >= known }

  /// Whether some assertions need the scope that is not chosen.
  package var isDoubtful: Bool { !isExact && needs > 0 }

  package var reason: String {
    known == 0
      ? "no assertion was verified"
      : "\(needs) of \(known) verified assertions have client data without a challenge of their own"
  }

  init() {}

  mutating func add(_ other: ReplayScopeChoice) {
    needs += other.needs
    known += other.known
  }

  /// - Parameter lines: The indexes of lines with a verified assertion.
  init(_ form: DataForm?, _ sample: LogSample, issued: Set<Digest256>, lines: [Int]) {
    guard let form else { return }
    var used: Set<[UInt8]> = []
    for line in lines.map({ sample.lines[$0] }) {
      guard let hash = form.hash(in: line), let bytes = form.bytes(in: line) else { continue }
      known += 1
      let isFresh =
        Self.isFresh(bytes, form) || Self.containsChallenge(line, form, sample.pointers, issued)
      if !used.insert(hash).inserted || !isFresh { needs += 1 }
    }
  }

  /// Returns whether bytes look like a challenge: one long word, or no text.
  private static func isFresh(_ bytes: [UInt8], _ form: DataForm) -> Bool {
    guard form.pointer != nil, bytes.count >= 16 else { return false }
    if form.isHash { return true }
    guard let text = String(validating: bytes, as: UTF8.self) else { return true }
    return Set(bytes).count >= 8 && text.wholeMatch(of: /[0-9A-Za-z+\/=\-_.]+/) != nil
  }

  /// Returns whether a value of the client data is an issued challenge, or named as one.
  private static func containsChallenge(
    _ line: SampleLine, _ form: DataForm, _ pointers: PointerTable, _ issued: Set<Digest256>
  ) -> Bool {
    line.values.contains { value in
      value.isText
        && form.pointers.contains { $0 == value.pointer || pointers.isInside(value.pointer, $0) }
        && (issued.contains(.sha256(Array(value.text).span))
          || value.text.count >= 8
            && pointers.meaning(value.pointer).contains(WordLists.challenges))
    }
  }
}
