import AppAttest
import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import Investigation

/// A key as a user names it: whole, or by the first hex digits of its identifier.
struct KeyName {
  /// The first and the last key that it may be.
  let range: ClosedRange<Digest256>
  /// The hex digits, 64 for a whole key.
  let digits: String

  var isWhole: Bool { range.lowerBound == range.upperBound }

  /// Reads a name. `origin` is the flag that gives it, with a colon and a space, or empty.
  init(_ text: String, origin: String = "") throws(CommandError) {
    if let keyID = SettingFormat<Digest256>.keyID.parse(text) {
      range = keyID...keyID
      digits = keyID.hex
      return
    }
    let digits = text.lowercased()
    guard (StoredReport.fewestDigits..<2 * Digest256.byteCount).contains(digits.utf8.count),
      let first = Self.key(digits, filled: "0"), let last = Self.key(digits, filled: "f")
    else {
      throw CommandError(
        .usage,
        "\(origin)'\(text)' is not a key identifier: 32 bytes in hex, base64 or base64url, "
          + "or its first 8 hex digits or more")
    }
    range = first...last
    self.digits = digits
  }

  private static func key(_ digits: String, filled: Character) -> Digest256? {
    let missing = 2 * Digest256.byteCount - digits.utf8.count
    return KeyTexts.hex(digits + String(repeating: filled, count: missing)).flatMap {
      Digest256($0)
    }
  }

  /// Returns the one key of `place` with this name, of which `find` returns two or more if several.
  func key(in place: String, _ find: (KeyName) throws -> [Digest256]) throws -> Digest256 {
    if isWhole { return range.lowerBound }
    let found = try find(self)
    let key = try found.first.orThrow("no key of \(place) begins with \(digits)")
    try CommandError.require(
      found.count == 1,
      "several keys of \(place) begin with \(digits): "
        + found.prefix(3).map { String($0.hex.prefix(digits.utf8.count + 4)) }.joined(
          separator: ", ") + ", …", hint: "give more digits")
    return key
  }
}

/// Finding codes and families of codes, as a user names them.
enum CodeNames {
  static let all: [String] = {
    let families = FindingCatalogue.entries.map { String($0.family) }
    return Array(Set(families)).sorted() + FindingCatalogue.entries.map(\.name)
  }()

  static let completion = CompletionKind.list(all)

  /// Returns the codes of a name. `origin` is the flag that gives it.
  static func codes(_ name: String, origin: String) throws(CommandError) -> [FindingCode] {
    let codes = FindingCode.named(name)
    guard codes.isEmpty else { return codes }
    throw CommandError(
      .usage, "\(origin): no code is called '\(name)'",
      hint: NearestName.hint(name, among: all))
  }
}
