import AppAttest

/// A decision whether one clientDataHash can be used twice (`records.R75`, `records.R96`).
package struct ReplayScopeChoice {
  /// The number of verified assertions whose client data contain no challenge of their own.
  private(set) var needs = 0
  /// The number of verified assertions whose client data are known.
  private(set) var known = 0

  /// Whether at least half of the verified assertions need `replayScope: exact`.
  package var isExact: Bool { known > 0 && needs * 2 >= known }

  /// The reason, in one clause.
  package var reason: String {
    if known == 0 { return "no assertion was verified" }
    return
      "\(needs) of \(known) verified assertions have client data without a challenge of their own"
  }

  /// Whether some assertions need the scope that is not chosen.
  package var isDoubtful: Bool { !isExact && needs > 0 }

  /// The length of the shortest text that looks like a challenge, in bytes.
  private static let shortest = 16
  /// The length of the shortest text under the name of a challenge, in bytes.
  private static let shortestNamed = 8

  init() {}

  /// Adds the assertions of another shape.
  mutating func add(_ other: ReplayScopeChoice) {
    needs += other.needs
    known += other.known
  }

  /// - Parameter lines: The indexes of lines with a verified assertion.
  init(_ form: DataForm?, _ sample: LogSample, issued: Set<Digest256>, lines: [Int]) {
    guard let form else { return }
    var used: Set<[UInt8]> = []
    for index in lines {
      let line = sample.lines[index]
      guard let hash = form.hash(in: line), let bytes = form.bytes(in: line) else { continue }
      known += 1
      let isFresh =
        Self.isFresh(bytes, form) || Self.containsChallenge(line, form, sample.pointers, issued)
      if !used.insert(hash).inserted || !isFresh { needs += 1 }
    }
  }

  /// Returns whether bytes look like a challenge by themselves: no template, no JSON, but one long
  /// word, or bytes that are no text.
  private static func isFresh(_ bytes: [UInt8], _ form: DataForm) -> Bool {
    guard form.pointer != nil, bytes.count >= shortest else { return false }
    if form.isHash { return true }
    guard let text = String(validating: bytes, as: UTF8.self) else { return true }
    return Set(bytes).count >= 8
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || "+/=-_.".utf8.contains($0)
      }
  }

  /// Returns whether a value of the client data is a challenge that was issued, or has the name of
  /// one.
  private static func containsChallenge(
    _ line: SampleLine, _ form: DataForm, _ pointers: PointerTable, _ issued: Set<Digest256>
  ) -> Bool {
    let parts = form.pointers
    return line.values.contains { value in
      guard value.isText,
        parts.contains(where: { $0 == value.pointer || pointers.isInside(value.pointer, $0) })
      else { return false }
      return issued.contains(.sha256(Array(value.text).span))
        || value.text.count >= shortestNamed
          && pointers.meaning(value.pointer).contains(WordLists.challenges)
    }
  }
}
