import Foundation
import LogForge

/// A stream of rows as `attest-audit stage` reads and writes it, taken apart by the page of the
/// documentation and not by the program.
struct RowStream {
  /// 48 bytes, the same in all streams of an audit.
  var header: [UInt8]
  var rows: [[UInt8]]

  init(header: [UInt8], rows: [[UInt8]]) {
    self.header = header
    self.rows = rows
  }

  /// Reads a whole stream. Returns nil if it is cut or damaged.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 48, Array(bytes[..<8]) == Array("AUDITROW".utf8) else { return nil }
    header = Array(bytes[..<48])
    rows = []
    var at = 48
    func number(_ offset: Int) -> Int? {
      guard offset + 4 <= bytes.count else { return nil }
      return (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    while let count = number(at), let length = number(at + 4), count > 0 {
      let start = at + 8 + 4 * (count + 1)
      guard start + length <= bytes.count else { return nil }
      for index in 0..<count {
        guard let from = number(at + 8 + 4 * index), let to = number(at + 12 + 4 * index),
          from <= to, to <= length
        else { return nil }
        rows.append(Array(bytes[(start + from)..<(start + to)]))
      }
      at = start + length
    }
    let trailer = Array(bytes[at...])
    guard trailer.count == 28,
      trailer == Self(header: header, rows: rows).trailer(behind: bytes[..<at])
    else { return nil }
  }

  /// Returns the stream, with so many rows in a block.
  func bytes(blocks: Int = 100) -> [UInt8] {
    var all = header
    for start in stride(from: 0, to: rows.count, by: blocks) {
      let block = rows[start..<min(start + blocks, rows.count)]
      var end = 0
      var offsets = Self.little(UInt32(0))
      for row in block {
        end += row.count
        offsets += Self.little(UInt32(end))
      }
      all += Self.little(UInt32(block.count)) + Self.little(UInt32(end)) + offsets
      for row in block { all += row }
    }
    return all + trailer(behind: all[...])
  }

  private func trailer(behind bytes: ArraySlice<UInt8>) -> [UInt8] {
    let size = rows.reduce(0) { $0 + $1.count }
    let trailer =
      Self.little(UInt32(0)) + Self.little(UInt32(20)) + Self.little(UInt64(rows.count))
      + Self.little(UInt64(size))
    return trailer + Self.little(Self.checksum(Array(bytes) + trailer))
  }

  static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
  }

  /// Returns the CRC-32 by its definition.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
  }
}
