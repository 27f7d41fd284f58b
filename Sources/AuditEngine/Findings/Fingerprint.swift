internal import AppAttest
internal import AuditLog
internal import Basics

/// The identity of a finding from run to run (`reports.md`): the first 8 bytes of a SHA-256.
package enum Fingerprint {
  /// Hashes code ‖ 00 ‖ kind ‖ 00 ‖ keyId ‖ clientDataHash ‖ counter ‖ time, each empty if unknown;
  /// counter and time 8 bytes, big-endian.
  static func record(
    _ code: FindingCode, kind: RecordKind?, keyID: Digest256?, clientDataHash: [UInt8],
    counter: UInt32?, time: Int64?
  ) -> UInt64 {
    var bytes = begin(code)
    if let kind { bytes += kind.name.utf8 }
    bytes.append(0)
    if let keyID { bytes += keyID.bytes }
    bytes += clientDataHash
    if let counter { bytes.append(number: UInt64(counter).bigEndian) }
    if let time { bytes.append(number: time.bigEndian) }
    return first(bytes)
  }

  /// Hashes code ‖ 00 ‖ `content`: of `key.unknown` and `key.untrusted` the keyId or, without a key, the device
  /// identifier; of a reject the SHA-256 of the line; of `stream.missing` the entry of `expect:` as written.
  static func of(_ code: FindingCode, _ content: some Sequence<UInt8>) -> UInt64 {
    first(begin(code) + content)
  }

  /// Returns that of a finding that counts the assertions of a key, or of a device that no key is known of.
  static func key(_ code: FindingCode, _ keyID: Digest256, device: String? = nil) -> UInt64 {
    device.map { of(code, $0.utf8) } ?? of(code, keyID.bytes)
  }

  /// Hashes code ‖ 00 ‖ the source's name without folder ‖ 00 ‖ the shape.
  static func notAudited(source: String, shape: String) -> UInt64 {
    first(begin(.recordNotAudited) + fileName(source) + [0] + shape.utf8)
  }

  /// Hashes code ‖ 00 ‖ the file's name without its folder ‖ 00 ‖ the byte offset in decimal.
  package static func stream(_ code: FindingCode, source: String, byteOffset: UInt64) -> UInt64 {
    first(begin(code) + fileName(source) + [0] + String(byteOffset).utf8)
  }

  /// Returns it as reports show it: 16 lower-case hex digits, the most significant first.
  package static func text(_ fingerprint: UInt64) -> String {
    Hex.text(fingerprint)
  }

  private static func fileName(_ source: String) -> [UInt8] {
    source.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
  }

  private static func begin(_ code: FindingCode) -> [UInt8] {
    Array(code.name.utf8) + [0]
  }

  /// Returns the first 8 bytes of the SHA-256, read big-endian.
  static func first(_ bytes: [UInt8]) -> UInt64 {
    Digest256.sha256(bytes.span).bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
