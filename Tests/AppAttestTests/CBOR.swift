/// Writes CBOR for tests, shortest forms unless told otherwise.
enum CBOR {
  static func head(_ major: UInt8, _ argument: Int) -> [UInt8] {
    switch argument {
    case 0..<24: [major << 5 | UInt8(argument)]
    case 24..<256: [major << 5 | 24, UInt8(argument)]
    case 256..<65_536: [major << 5 | 25, UInt8(argument >> 8), UInt8(argument & 255)]
    default:
      [major << 5 | 26] + (0..<4).map { UInt8(argument >> (24 - 8 * $0) & 255) }
    }
  }

  static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }
  static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }
  static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, items.count) + items.flatMap { $0 } }
  static func map(_ pairs: [([UInt8], [UInt8])]) -> [UInt8] {
    head(5, pairs.count) + pairs.flatMap { $0.0 + $0.1 }
  }
  /// A byte string of indefinite length, in chunks of 7 bytes.
  static func chunked(_ bytes: [UInt8]) -> [UInt8] {
    let chunks = stride(from: 0, to: bytes.count, by: 7).map {
      self.bytes(Array(bytes[$0..<min($0 + 7, bytes.count)]))
    }
    return [0x5F] + chunks.flatMap { $0 } + [0xFF]
  }
}
