import AppAttest

/// A decision whether one clientDataHash may be used twice. It may not if client data hold a
/// challenge.
struct ReplayScopeChoice {
  /// The scope, `global` or `exact`.
  private(set) var scope = "exact"
  /// The reason, in one clause.
  private(set) var reason = "client data of assertions may come again: they hold no challenge"

  /// The share of the client data that have to be different.
  private static let leastDifferent = 0.9
  /// The share that have to hold a challenge, or to look like one.
  private static let leastFresh = 0.9
  /// The length of the shortest text that looks like a challenge, in bytes.
  private static let shortest = 16

  init(tokens: TokenSearch, sample: LogSample, issued: Set<Digest256>, lines: [Int]) {
    guard let (form, _) = tokens.assertionData.best(sample.pointers), !lines.isEmpty else {
      if tokens.assertions.tokens.isEmpty {
        scope = "global"
        reason = "there are no assertions to tell otherwise"
      }
      return
    }
    var different: Set<[UInt8]> = []
    var known = 0
    var fresh = 0
    for index in lines {
      let line = sample.lines[index]
      guard let hash = form.hash(in: line), let bytes = form.bytes(in: line) else { continue }
      known += 1
      different.insert(hash)
      if Self.isFresh(bytes, form) || Self.holdsIssued(line, form, sample.pointers, issued) {
        fresh += 1
      }
    }
    guard known > 0, Double(different.count) >= Double(known) * Self.leastDifferent,
      Double(fresh) >= Double(known) * Self.leastFresh
    else { return }
    scope = "global"
    reason = "client data of assertions hold challenges: \(different.count) different on \(known)"
  }

  /// Returns whether bytes look like a challenge by themselves: no template, no JSON, but one long
  /// word, or bytes that are no text.
  private static func isFresh(_ bytes: [UInt8], _ form: DataForm) -> Bool {
    guard case .value(_, _, let isHash) = form, bytes.count >= shortest else { return false }
    if isHash { return true }
    guard let text = String(validating: bytes, as: UTF8.self) else { return true }
    return Set(bytes).count >= 8
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || "+/=-_.".utf8.contains($0)
      }
  }

  /// Returns whether a value inside the client data is a challenge that was issued.
  private static func holdsIssued(
    _ line: SampleLine, _ form: DataForm, _ pointers: PointerTable, _ issued: Set<Digest256>
  ) -> Bool {
    guard case .value(let pointer, _, _) = form, !issued.isEmpty else { return false }
    return line.values.contains { value in
      value.kind == .string
        && (value.pointer == pointer || pointers.isInside(value.pointer, pointer))
        && issued.contains(.sha256(Array(value.text).span))
    }
  }
}
