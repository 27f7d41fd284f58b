/// A test that distinguishes App Attest objects from other tokens.
public enum AppAttestSniffer {
  /// Returns whether the token begins, behind any tags, with a CBOR map that has the text key
  /// `authData` or `authenticatorData`. The key may be in chunks or not. The values before it may
  /// be nested to any depth, and anything may follow it.
  public static func isAppAttestObject(_ token: Span<UInt8>) -> Bool {
    (try? holdsName(token)) ?? false
  }

  /// Returns whether tags are before the outermost CBOR map of a token. They are skipped
  /// (`verification.R31`), and not every server does that.
  public static func hasTags(_ token: Span<UInt8>) -> Bool {
    var reader = CBORReader()
    guard reader.peekMajor(token) == 6, (try? reader.skipTags(token)) != nil else { return false }
    return reader.peekMajor(token) == 5
  }

  /// Walks over the whole item without recursion, however deep it nests, until a name is met.
  private static func holdsName(_ token: Span<UInt8>) throws(CBORError) -> Bool {
    var reader = CBORReader()
    try reader.skipTags(token)
    var levels = [Level(left: try reader.enterMap(token), isMap: true)]
    while var level = levels.popLast() {
      // A map ends only where a key would begin.
      if !level.isMap || level.isAtKey {
        guard try reader.next(&level.left, token) else { continue }
      }
      let isKey = level.isMap && level.isAtKey
      if level.isMap { level.isAtKey.toggle() }
      levels.append(level)
      if isKey, levels.count == 1, try isName(reader, token) { return true }
      try enterOrSkip(&reader, token, &levels)
    }
    return false
  }

  private static func isName(
    _ reader: CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) -> Bool {
    guard reader.peekMajor(token) == 3 else { return false }
    var reader = reader
    let head = try reader.readHead(token)
    let key = try reader.readString(after: head, token, checked: false)
    return key.equals("authData", in: token) || key.equals("authenticatorData", in: token)
  }

  private static func enterOrSkip(
    _ reader: inout CBORReader, _ token: Span<UInt8>, _ levels: inout [Level]
  ) throws(CBORError) {
    var head = try reader.readHead(token)
    while head.major == 6 { head = try reader.readHead(token) }
    switch head.major {
    case 0, 1: return
    case 2, 3: _ = try reader.readString(after: head, token, checked: false)
    case 4, 5:
      let count = try CBORCount(
        head, itemsEach: head.major == 5 ? 2 : 1, remaining: token.count - reader.offset)
      levels.append(Level(left: count, isMap: head.major == 5))
    default:
      guard !head.isIndefinite else { throw .unexpectedBreak }
    }
  }

  private struct Level {
    var left: CBORCount
    var isMap: Bool
    var isAtKey = true
  }
}
