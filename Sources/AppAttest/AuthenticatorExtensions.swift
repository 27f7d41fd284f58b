/// What authenticator data says or does not say.
public enum Carried<Value: Sendable & Hashable>: Sendable, Hashable {
  /// It is not there.
  case absent
  /// It is there, but of another type: none of the allowed values.
  case unreadable
  case value(Value)

  /// The value, where there is one that can be read.
  public var value: Value? {
    guard case .value(let value) = self else { return nil }
    return value
  }
}

/// What iOS 27 and later append to authenticator data; other keys are ignored.
public struct AuthenticatorExtensions: Sendable, Hashable {
  /// `apple_validation_category_01`: a byte string of 4, little-endian.
  public internal(set) var category: Carried<ValidationCategory> = .absent
  /// `apple_bundle_version_01`: text.
  public internal(set) var bundleVersion: Carried<String> = .absent

  init() {}

  /// Reads exactly one CBOR map that fills `bytes`, or nothing where there are none.
  init(_ bytes: Span<UInt8>) throws(CBORError) {
    guard bytes.count > 0 else { return }
    try CBORReader.checkOneItem(bytes)
    var reader = CBORReader()
    var entries = try reader.enterMap(bytes)
    while try reader.next(&entries, bytes) {
      guard reader.peekMajor(bytes) == 3 else {
        try reader.skip(bytes, checked: false)
        try reader.skip(bytes, checked: false)
        continue
      }
      let key = try reader.readString(major: 3, bytes)
      if key.equals("apple_validation_category_01", in: bytes) {
        category = try Self.readCategory(&reader, bytes)
      } else if key.equals("apple_bundle_version_01", in: bytes) {
        bundleVersion = try Self.readText(&reader, bytes)
      } else {
        try reader.skip(bytes, checked: false)
      }
    }
  }

  private static func readCategory(
    _ reader: inout CBORReader, _ bytes: Span<UInt8>
  ) throws(CBORError) -> Carried<ValidationCategory> {
    guard reader.peekMajor(bytes) == 2 else {
      try reader.skip(bytes, checked: false)
      return .unreadable
    }
    let content = try reader.readString(major: 2, bytes)
    return content.withSpan(in: bytes) { content in
      guard content.count == 4 else { return .unreadable }
      var number: UInt32 = 0
      for index in 0..<4 { number |= UInt32(content[index]) << UInt32(8 * index) }
      return .value(ValidationCategory(rawValue: number))
    }
  }

  private static func readText(
    _ reader: inout CBORReader, _ bytes: Span<UInt8>
  ) throws(CBORError) -> Carried<String> {
    guard reader.peekMajor(bytes) == 3 else {
      try reader.skip(bytes, checked: false)
      return .unreadable
    }
    let content = try reader.readString(major: 3, bytes)
    return .value(content.withSpan(in: bytes) { $0.text })
  }
}
