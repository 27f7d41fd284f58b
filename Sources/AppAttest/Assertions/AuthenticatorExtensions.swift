/// A value that authenticator data has or lacks.
public enum Carried<Value: Sendable & Hashable>: Sendable, Hashable {
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
    guard bytes.count > 0 else { return }
    try CBORReader.checkOneItem(bytes)
    var reader = CBORReader()
    var entries = try reader.enterMap(bytes)
    while try reader.next(&entries, bytes) {
      let key = try reader.readKey(bytes)?.withSpan(in: bytes) { Key($0) }
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

/// The extensions that were read last, by their bytes: all tokens of one build of an app have the same. Used by one thread.
package final class KnownExtensions {
  private var entries = [(bytes: [UInt8], extensions: AuthenticatorExtensions)](
    repeating: ([], AuthenticatorExtensions()), count: 128)
  /// The most bytes that are kept of one token.
  private static let mostBytes = 256

  package init() {}

  func read(_ bytes: Span<UInt8>) throws(CBORError) -> AuthenticatorExtensions {
    guard bytes.count > 0, bytes.count <= Self.mostBytes else {
      return try AuthenticatorExtensions(bytes)
    }
    // Most differ in a version, a hash of code or a category: a sum of all words tells them apart.
    let sum = unsafe bytes.withUnsafeBytes { bytes in
      stride(from: bytes.count & 7, to: bytes.count, by: 8).reduce(0 as UInt64) {
        unsafe $0 &* 31 &+ bytes.loadUnaligned(fromByteOffset: $1, as: UInt64.self)
      }
    }
    let place = Int((sum &* 0x9E37_79B9_7F4A_7C15) >> 57)
    let known = entries[place].bytes
    if known.span.equals(bytes) { return entries[place].extensions }
    let extensions = try AuthenticatorExtensions(bytes)
    entries[place] = (bytes.copied(), extensions)
    return extensions
  }
}
