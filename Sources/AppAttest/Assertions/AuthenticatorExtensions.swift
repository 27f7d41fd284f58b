/// A value that authenticator data has or lacks.
public enum Carried<Value: Sendable & Hashable>: Sendable, Hashable {
  /// The value is absent.
  case absent
  /// The value is present, but of another type or none of the allowed values.
  case unreadable
  case value(Value)

  /// The value, or nil if it is absent or unreadable.
  public var value: Value? {
    guard case .value(let value) = self else { return nil }
    return value
  }
}

/// The extensions that iOS 27 and later append to authenticator data. Other keys are ignored.
public struct AuthenticatorExtensions: Sendable, Hashable {
  /// `apple_validation_category_01`: a byte string of 4, little-endian.
  public internal(set) var category: Carried<ValidationCategory> = .absent
  /// `apple_bundle_version_01`: text.
  public internal(set) var bundleVersion: Carried<String> = .absent

  /// True where the authenticator data has neither extension.
  var areAbsent: Bool {
    guard case .absent = category, case .absent = bundleVersion else { return false }
    return true
  }

  init() {}

  /// Reads exactly one CBOR map that fills `bytes`, or nothing if `bytes` is empty.
  init(_ bytes: Span<UInt8>) throws(CBORError) {
    if bytes.count == 0 {
      self.init()
    } else if let ordinary = Self.ordinary(bytes) {
      self = ordinary
    } else {
      try self.init(any: bytes)
    }
  }

  /// The largest number of pairs in a map whose keys are compared with each other one by one.
  private static let ordinaryPairs = 8

  /// Reads a small map of text keys with numbers and strings for values, as devices send it.
  /// Returns nil if the bytes have another form or a key occurs twice.
  static func ordinary(_ bytes: Span<UInt8>) -> AuthenticatorExtensions? {
    unsafe bytes.withUnsafeBytes { all -> AuthenticatorExtensions? in
      var reader = unsafe OrdinaryCBOR(all)
      guard let count = reader.mapCount(), count <= ordinaryPairs else { return nil }
      var keys = InlineArray<8, Range<Int>>(repeating: 0..<0)
      var result = AuthenticatorExtensions()
      for index in 0..<count {
        guard let key = reader.text() else { return nil }
        for earlier in 0..<index where reader.areEqual(keys[earlier], key) { return nil }
        keys[index] = key
        guard let value = reader.value() else { return nil }
        let name = bytes.extracting(key)
        if name.equals("apple_validation_category_01") {
          result.category = .unreadable
          if case .bytes(let range) = value {
            result.category = Self.category(bytes.extracting(range))
          }
        } else if name.equals("apple_bundle_version_01") {
          result.bundleVersion = .unreadable
          if case .text(let range) = value {
            result.bundleVersion = .value(bytes.extracting(range).text)
          }
        }
      }
      return reader.isDone ? result : nil
    }
  }

  /// Reads a map of any form, by the strict reader.
  init(any bytes: Span<UInt8>) throws(CBORError) {
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
    return content.withSpan(in: bytes) { category($0) }
  }

  private static func category(_ content: Span<UInt8>) -> Carried<ValidationCategory> {
    guard content.count == 4 else { return .unreadable }
    var number: UInt32 = 0
    for index in 0..<4 { number |= UInt32(content[index]) << UInt32(8 * index) }
    return .value(ValidationCategory(rawValue: number))
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
