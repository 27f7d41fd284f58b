/// What a token says about the code that asks for it, as Apple's system signs it after the authenticator data, and
/// what an attacker adds outside the signature.
struct BuildClaims: Editable {
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
  /// How the map is written.
  var form: Substring = "map"
  /// Members of the token itself.
  var unsigned: [Pair] = []

  static let honest = SyntheticApp.vault.codeHash(of: "7.11")
  static let modified = SyntheticApp.vault.codeHash(of: "modified")

  /// The signed map.
  var map: [UInt8] {
    let known: [(key: [UInt8], value: [UInt8]?)] = [
      (hashKey, hash), (CBORWriter.text("apple_cd_hash_type_01"), type),
      (CBORWriter.text("apple_bundle_version_01"), version),
      (CBORWriter.text("apple_validation_category_01"), category),
    ]
    let pairs = first + known.compactMap { pair in pair.value.map { (pair.key, $0) } } + last
    let map = CBORWriter.map(pairs)
    return switch form {
    case "open": CBORWriter.openMap(pairs)
    case "reversed": CBORWriter.openMap(pairs.reversed())
    case "twice": map + map
    case "array": CBORWriter.array([map])
    case "tagged": [0xD9, 0xD9, 0xF7] + map
    case "late": [0xA0] + map
    default: map
    }
  }

  func bytes(_ name: Substring) -> [UInt8]? {
    ["honest": Self.honest, "modified": Self.modified][name]
  }

  mutating func set(_ name: Substring, to value: EditValue) {
    switch name {
    case "hash": hash = value.bytes
    case "type": type = value.bytes
    case "version": version = value.bytes
    case "category": category = value.bytes
    case "hashKey": hashKey = value.some
    case "first": first.append(value.pair)
    case "last": last.append(value.pair)
    case "unsigned": unsigned.append(value.pair)
    case "form": form = value.text
    default: preconditionFailure("a build has no \(name)")
    }
  }
}

/// A way to get a build past the policy of ``SyntheticApp/vault``, and what an audit finds of it.
struct BuildAttempt: Sendable {
  /// The check that fails (`verification.R15`, `R37`, `R24`).
  enum Finding: Substring { case category, code, malformed }

  let name: String
  let finding: Finding?
  let edits: Edits

  /// The rows of a table: what is found, the name, and the edits of ``BuildClaims``.
  static let all = DataTable.rows(PackageResources.builds_txt).map { row in
    BuildAttempt(
      name: String(row[1]), finding: Finding(rawValue: row[0]), edits: Edits(row[2]))
  }
}

/// The tables in `Data`.
enum DataTable {
  /// Returns the rows of a table, in columns that bars separate.
  static func rows(_ bytes: [UInt8]) -> [[Substring]] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " | ") }
  }

  /// Returns the lines of a section, whose name is in brackets on a line before them.
  static func section(_ name: String, of bytes: [UInt8]) -> [Substring] {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return Array(
      lines.drop { $0 != "[\(name)]" }.dropFirst().prefix { !$0.hasPrefix("[") })
  }
}
