internal import OpenSSL

/// The positions of the parts of an attestation object in its token.
struct AttestationParts {
  private(set) var format: CBORString?
  private(set) var hasStatement = false
  /// The certificates of `x5c`, or nil if `x5c` is not an array of byte strings.
  private(set) var certificates: [CBORString]?
  private(set) var hasReceipt = false
  /// The receipt, or nil if there is none or it is not a byte string.
  private(set) var receipt: CBORString?
  private(set) var authData: CBORString?

  /// Reads a token that is known to be one valid CBOR item.
  mutating func read(_ token: Span<UInt8>) throws(CBORError) {
    var reader = CBORReader()
    try reader.skipTags(token)
    var entries = try reader.enterMap(token)
    while try reader.next(&entries, token) {
      let key = try Self.readKey(&reader, token)
      switch reader.peekMajor(token) {
      case 3 where key?.equals("fmt", in: token) == true:
        format = try reader.readString(major: 3, token)
      case 5 where key?.equals("attStmt", in: token) == true:
        try readStatement(&reader, token)
      case 2 where key?.equals("authData", in: token) == true:
        authData = try reader.readString(major: 2, token)
      default:
        try reader.skip(token, checked: false)
      }
    }
  }

  private mutating func readStatement(
    _ reader: inout CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) {
    hasStatement = true
    var entries = try reader.enterMap(token)
    while try reader.next(&entries, token) {
      let key = try Self.readKey(&reader, token)
      switch reader.peekMajor(token) {
      case 4 where key?.equals("x5c", in: token) == true:
        certificates = try Self.readByteStrings(&reader, token)
      case let major where key?.equals("receipt", in: token) == true:
        hasReceipt = true
        if major == 2 {
          receipt = try reader.readString(major: 2, token)
        } else {
          try reader.skip(token, checked: false)
        }
      default:
        try reader.skip(token, checked: false)
      }
    }
  }

  /// Reads a key, or passes over it and returns nil if it is no text.
  private static func readKey(
    _ reader: inout CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) -> CBORString? {
    guard reader.peekMajor(token) == 3 else {
      try reader.skip(token, checked: false)
      return nil
    }
    return try reader.readString(major: 3, token)
  }

  /// Reads an array of byte strings. Passes over it and returns nil if an item is not a byte
  /// string.
  private static func readByteStrings(
    _ reader: inout CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) -> [CBORString]? {
    var strings: [CBORString] = []
    strings.reserveCapacity(2)
    var isComplete = true
    var items = try reader.enterArray(token)
    while try reader.next(&items, token) {
      if reader.peekMajor(token) == 2 {
        strings.append(try reader.readString(major: 2, token))
      } else {
        isComplete = false
        try reader.skip(token, checked: false)
      }
    }
    return isComplete ? strings : nil
  }
}
