/// The member `cdHash` at the top level of a token, which apps with Apple's entitlement send on iOS 18.5
/// to 26 (`facts.R33`). It is outside every signature: it is shown, and never checked.
public struct UnsignedCodeHash: Sendable, Hashable {
  public private(set) var hash: Carried<CodeHash> = .absent
  public private(set) var type: Carried<UInt8> = .absent

  /// Finds the member in an attestation or assertion that is well-formed. Returns nil if it has none.
  public init?(token: Span<UInt8>) {
    guard let isFound = try? read(token), isFound else { return nil }
  }

  private mutating func read(_ token: Span<UInt8>) throws(CBORError) -> Bool {
    var reader = CBORReader()
    try reader.skipTags(token)
    var members = try reader.enterMap(token)
    while try reader.next(&members, token) {
      if try reader.readKey(token)?.equals("cdHash", in: token) == true {
        try readMembers(&reader, token)
        return true
      }
      try reader.skip(token, checked: false)
    }
    return false
  }

  private mutating func readMembers(
    _ reader: inout CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) {
    var entries = try reader.enterMap(token)
    while try reader.next(&entries, token) {
      let name = try reader.readKey(token)
      let isHash = name?.equals("hash", in: token) == true
      let isType = name?.equals("type", in: token) == true
      if isHash { hash = .unreadable }
      if isType { type = .unreadable }
      guard isHash || isType, reader.peekMajor(token) == 2 else {
        try reader.skip(token, checked: false)
        continue
      }
      let content = try reader.readString(major: 2, token)
      content.withSpan(in: token) {
        if isHash { hash = .value(CodeHash($0)) }
        if isType, $0.count == 1 { type = .value($0[0]) }
      }
    }
  }

  /// The hash, its length and its type, for people.
  package var text: String {
    var extensions = AuthenticatorExtensions()
    extensions.codeHash = hash
    extensions.codeHashType = type
    return extensions.text(.codeHash) ?? "no hash"
  }
}
