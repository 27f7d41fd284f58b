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

/// The extensions that Apple's system of OS 27 and later signed. Other keys are ignored.
public struct AuthenticatorExtensions: Sendable, Hashable {
  /// `apple_validation_category_01`: a byte string of 4, little-endian.
  public package(set) var category: Carried<ValidationCategory> = .absent
  /// `apple_bundle_version_01`: text. Macs send none.
  public package(set) var bundleVersion: Carried<String> = .absent
  /// `apple_cd_hash_hash_01`: a byte string, the hash of the code that is running.
  public package(set) var codeHash: Carried<CodeHash> = .absent
  /// `apple_cd_hash_type_01`: a byte string of 1.
  public package(set) var codeHashType: Carried<UInt8> = .absent

  /// The keys whose values are read.
  private enum Key {
    case category, bundleVersion, codeHash, codeHashType

    init?(_ name: Span<UInt8>) {
      if name.equals("apple_validation_category_01") {
        self = .category
      } else if name.equals("apple_bundle_version_01") {
        self = .bundleVersion
      } else if name.equals("apple_cd_hash_hash_01") {
        self = .codeHash
      } else if name.equals("apple_cd_hash_type_01") {
        self = .codeHashType
      } else {
        return nil
      }
    }
  }

  /// Makes extensions of which none is there.
  public init() {}

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
      var names = InlineArray<8, Range<Int>>(repeating: 0..<0)
      var result = AuthenticatorExtensions()
      for index in 0..<count {
        guard let name = reader.text() else { return nil }
        for earlier in 0..<index where reader.areEqual(names[earlier], name) { return nil }
        names[index] = name
        guard let value = reader.value() else { return nil }
        guard let key = Key(bytes.extracting(name)) else { continue }
        switch value {
        case .bytes(let range): result.set(key, major: 2, bytes.extracting(range))
        case .text(let range): result.set(key, major: 3, bytes.extracting(range))
        case .number, .simple: result.set(key, major: nil, Span())
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
      var key: Key?
      if reader.peekMajor(bytes) == 3 {
        key = try reader.readString(major: 3, bytes).withSpan(in: bytes) { Key($0) }
      } else {
        try reader.skip(bytes, checked: false)
      }
      guard let key, let major = reader.peekMajor(bytes), major == 2 || major == 3 else {
        try reader.skip(bytes, checked: false)
        if let key { set(key, major: nil, Span()) }
        continue
      }
      let content = try reader.readString(major: major, bytes)
      content.withSpan(in: bytes) { set(key, major: major, $0) }
    }
  }

  /// Keeps the value of a key, of `major` 2 (byte string), 3 (text) or nil (another type).
  private mutating func set(_ key: Key, major: UInt8?, _ content: Span<UInt8>) {
    switch key {
    case .category: category = major == 2 ? Self.category(content) : .unreadable
    case .bundleVersion: bundleVersion = major == 3 ? .value(content.text) : .unreadable
    case .codeHash: codeHash = major == 2 ? .value(CodeHash(content)) : .unreadable
    case .codeHashType:
      codeHashType = major == 2 && content.count == 1 ? .value(content[0]) : .unreadable
    }
  }

  private static func category(_ content: Span<UInt8>) -> Carried<ValidationCategory> {
    guard content.count == 4 else { return .unreadable }
    var number: UInt32 = 0
    for index in 0..<4 { number |= UInt32(content[index]) << UInt32(8 * index) }
    return .value(ValidationCategory(rawValue: number))
  }
}
