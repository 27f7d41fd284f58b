/// What a token says about the code that asks for it, as Apple's system signs it after the authenticator data, and
/// what an attacker adds outside the signature.
struct BuildClaims {
  typealias Pair = (key: [UInt8], value: [UInt8])

  /// The values as CBOR, or nil to leave a key out.
  var hash: [UInt8]? = CBORWriter.bytes(honest)
  var type: [UInt8]? = CBORWriter.bytes([2])
  var version: [UInt8]? = CBORWriter.text("7.11")
  var category: [UInt8]? = CBORWriter.bytes([4, 0, 0, 0])
  var hashKey = CBORWriter.text("apple_cd_hash_hash_01")
  /// Further pairs, before all others and after them.
  var first: [Pair] = []
  var last: [Pair] = []
  /// Writes the map.
  var write: ([Pair]) -> [UInt8] = { CBORWriter.map($0) }
  /// Members of the token itself.
  var unsigned: [Pair] = []

  static let honest = SyntheticApp.vault.codeHash(of: "7.11")
  static let modified = SyntheticApp.vault.codeHash(of: "modified")

  /// The signed map.
  var map: [UInt8] {
    let pairs: [(key: [UInt8], value: [UInt8]?)] = [
      (hashKey, hash), (CBORWriter.text("apple_cd_hash_type_01"), type),
      (CBORWriter.text("apple_bundle_version_01"), version),
      (CBORWriter.text("apple_validation_category_01"), category),
    ]
    return write(first + pairs.compactMap { pair in pair.value.map { (pair.key, $0) } } + last)
  }
}

/// A way to get a build past the policy of ``SyntheticApp/vault``, and what an audit finds of it.
struct BuildAttempt: Sendable {
  /// The check that fails (`verification.R15`, `R37`, `R24`).
  enum Finding { case category, code, malformed }

  let name: String
  let finding: Finding?
  let edit: @Sendable (inout BuildClaims) -> Void

  init(
    _ name: String, _ finding: Finding?, _ edit: @escaping @Sendable (inout BuildClaims) -> Void
  ) {
    self.name = name
    self.finding = finding
    self.edit = edit
  }

  private static let honest = BuildClaims.honest
  private static let modified = CBORWriter.bytes(BuildClaims.modified)
  private static let name = "apple_cd_hash_hash_01"
  private static let versionName = "apple_bundle_version_01"

  /// Returns pairs that nobody reads.
  private static func unknown(_ count: Int) -> [BuildClaims.Pair] {
    (0..<count).map { (CBORWriter.text("a\($0)"), [1]) }
  }

  /// Returns a change of the code hash.
  private static func hash(_ bytes: [UInt8]) -> @Sendable (inout BuildClaims) -> Void {
    { $0.hash = bytes }
  }

  /// Returns a change of the bundle version.
  private static func version(_ text: String) -> @Sendable (inout BuildClaims) -> Void {
    { $0.version = CBORWriter.text(text) }
  }

  /// Returns a change of the category.
  private static func category(_ bytes: [UInt8]) -> @Sendable (inout BuildClaims) -> Void {
    { $0.category = CBORWriter.bytes(bytes) }
  }

  static let all: [BuildAttempt] = [
    .init("modified code", .code, hash(modified)),
    .init("an unsigned cdHash says honest", .code) {
      $0.hash = modified
      $0.unsigned = CBORWriter.unsignedCode(Array(honest.prefix(20)))
    },
    .init("an unsigned hash of the same name", .code) {
      $0.hash = modified
      $0.unsigned = [(CBORWriter.text(name), CBORWriter.bytes(honest))]
    },
    .init("only an unsigned hash", .code) {
      $0.hash = nil
      $0.unsigned = CBORWriter.unsignedCode(Array(honest.prefix(20)))
    },
    .init("the honest hash again", .malformed) {
      $0.hash = modified
      $0.last = [(CBORWriter.text(name), CBORWriter.bytes(honest))]
    },
    .init("the honest hash before", .malformed) {
      $0.hash = modified
      $0.first = [(CBORWriter.text(name), CBORWriter.bytes(honest))]
    },
    .init("the honest hash again, its key in pieces", .malformed) {
      $0.hash = modified
      $0.last = [(CBORWriter.chunkedText(name, chunk: 9), CBORWriter.bytes(honest))]
    },
    .init("an unknown key twice", .malformed) {
      $0.first = [(CBORWriter.text("a"), [1])]
      $0.last = $0.first
    },
    .init("SHA-1", .code) {
      $0.hash = CBORWriter.bytes(Array(BuildClaims.modified.prefix(20)))
      $0.type = CBORWriter.bytes([1])
    },
    .init("SHA-384", .code) {
      $0.hash = CBORWriter.bytes(honest + honest.prefix(16))
      $0.type = CBORWriter.bytes([4])
    },
    .init("a type that is a number", .code) {
      $0.hash = modified
      $0.type = [2]
    },
    .init("31 bytes", .code, hash(CBORWriter.bytes(Array(honest.dropLast())))),
    .init("19 bytes", .code, hash(CBORWriter.bytes(Array(honest.prefix(19))))),
    .init("no bytes", .code, hash(CBORWriter.bytes([]))),
    .init("33 bytes", .code, hash(CBORWriter.bytes(honest + [0]))),
    .init("the honest 20 bytes, then others", .code) {
      $0.hash = CBORWriter.bytes(Array(honest.prefix(20) + BuildClaims.modified.prefix(12)))
    },
    .init("20 bytes of modified code", .code) {
      $0.hash = CBORWriter.bytes(Array(BuildClaims.modified.prefix(20)))
    },
    .init("hex digits", .code) {
      $0.hash = CBORWriter.text(String(decoding: TextCode.hex.encode(honest), as: UTF8.self))
    },
    .init("an array", .code, hash(CBORWriter.array([CBORWriter.bytes(honest)]))),
    .init("a tagged hash", .code, hash([0xD8, 0x18] + CBORWriter.bytes(honest))),
    .init("null", .code, hash([0xF6])),
    .init("no hash", .code) { $0.hash = nil },
    .init("a key in capitals", .code) { $0.hashKey = CBORWriter.text(name.uppercased()) },
    .init("a key with a zero byte", .code) { $0.hashKey = CBORWriter.text(name + "\u{0}") },
    .init("a key of bytes", .code) { $0.hashKey = CBORWriter.bytes(Array(name.utf8)) },
    .init("modified code in pieces", .code) {
      $0.hash = CBORWriter.chunkedBytes(BuildClaims.modified, chunk: 5)
      $0.hashKey = CBORWriter.chunkedText(name, chunk: 4)
      $0.write = { CBORWriter.openMap($0) }
    },
    .init("the honest hash within another map", .code) {
      $0.hash = modified
      $0.last = [
        ([0x61, 0x61], CBORWriter.map([(CBORWriter.text(name), CBORWriter.bytes(honest))]))
      ]
    },
    .init("category 0", .category, category([0, 0, 0, 0])),
    .init("category 7", .category, category([7, 0, 0, 0])),
    .init("category 8", .category, category([8, 0, 0, 0])),
    .init("category 9", .category, category([9, 0, 0, 0])),
    .init("development", .category, category([3, 0, 0, 0])),
    .init("enterprise", .category, category([5, 0, 0, 0])),
    .init("category 10", .category, category([10, 0, 0, 0])),
    .init("the other byte order", .category, category([0, 0, 0, 4])),
    .init("a category of 1 byte", .category, category([4])),
    .init("a category of 8 bytes", .category, category([4, 0, 0, 0, 0, 0, 0, 0])),
    .init("a category that is a number", .category) { $0.category = [4] },
    .init("no category", .category) { $0.category = nil },
    .init("7.9", .category, version("7.9")), .init("8", .category, version("8.0")),
    .init("no version", .category) { $0.version = nil },
    .init("a version of bytes", .category) { $0.version = CBORWriter.bytes(Array("7.11".utf8)) },
    .init("another spelling of a listed version", .category, version("be\u{301}ta")),
    .init("a version in capitals", .category, version("B\u{C9}TA")),
    .init("two maps", .malformed) { $0.write = { CBORWriter.map($0) + CBORWriter.map($0) } },
    .init("a map in an array", .malformed) {
      $0.write = { CBORWriter.array([CBORWriter.map($0)]) }
    },
    .init("a tagged map", .malformed) { $0.write = { [0xD9, 0xD9, 0xF7] + CBORWriter.map($0) } },
    .init("the honest build in another spelling", nil) {
      $0.hash = CBORWriter.chunkedBytes(honest, chunk: 7)
      $0.hashKey = CBORWriter.chunkedText(name, chunk: 5)
      $0.write = { CBORWriter.openMap($0.reversed()) }
    },
    .init("20 honest bytes", nil, hash(CBORWriter.bytes(Array(honest.prefix(20))))),
    .init("a listed version", nil, version("b\u{E9}ta")),
    .init("7.10.0", nil, version("7.10.0")),
    .init("the text of a listed range", .category, version(">=7.10 <8")),
    .init("a listed version and a zero byte", .category, version("b\u{E9}ta\u{0}")),
    .init("digits of another script", .category, version("\u{FF17}.\u{FF11}\u{FF10}")),
    .init("a sign before the version", .category, version("+7.10")),
    .init("a space before the version", .category, version(" 7.10")),
    .init("an empty version", .category, version("")),
    .init("a version of empty parts", .category, version("..")),
    .init("a text after 8", .category, version("8-beta")),
    .init("7.10 with zeros before", nil, version("07.010")),
    .init("a part beyond 64 bits", nil, version("7.18446744073709551617")),
    .init("a version that is a float", .category) { $0.version = [0xF9, 0x47, 0x80] },
    .init("a tagged version", .category) { $0.version = [0xC0] + CBORWriter.text("7.11") },
    .init("a piece of bytes in the version", .malformed) {
      $0.version = [0x7F] + CBORWriter.text("7.") + CBORWriter.bytes([0x31]) + [0xFF]
    },
    .init("a version that is not UTF-8", .malformed) { $0.version = [0x62, 0xC0, 0xB7] },
    .init("the listed version before", .malformed) {
      $0.version = CBORWriter.text("6.0")
      $0.first = [(CBORWriter.chunkedText(versionName, chunk: 3), CBORWriter.text("7.11"))]
    },
    .init("a category that is a bignum", .category) { $0.category = [0xC2, 0x41, 4] },
    .init("a negative category", .category) { $0.category = [0x23] },
    .init("a category beyond 32 bits", .category) {
      $0.category = [0x1B, 0, 0, 0, 1, 0, 0, 0, 4]
    },
    .init("a category of text", .category) {
      $0.category = CBORWriter.text("\u{4}\u{0}\u{0}\u{0}")
    },
    .init("category 260", .category, category([4, 1, 0, 0])),
    .init("development in pieces", .category) {
      $0.category = CBORWriter.chunkedBytes([3, 0, 0, 0], chunk: 1)
    },
    .init("a hash that is a bignum", .code, hash([0xC2] + CBORWriter.bytes(honest))),
    .init("a type that belongs to another length", .code) {
      $0.hash = modified
      $0.type = CBORWriter.bytes([1])
    },
    .init("the honest hash under a later name", .code) {
      $0.hash = modified
      $0.last = [(CBORWriter.text("apple_cd_hash_hash_02"), CBORWriter.bytes(honest))]
    },
    .init("nine unknown keys and the honest hash again", .malformed) {
      $0.hash = modified
      $0.first = unknown(9)
      $0.last = [(CBORWriter.text(name), CBORWriter.bytes(honest))]
    },
    .init("nine unknown keys", .code) {
      $0.hash = modified
      $0.first = unknown(9)
    },
    .init("an empty map first", .malformed) { $0.write = { [0xA0] + CBORWriter.map($0) } },
  ]
}
