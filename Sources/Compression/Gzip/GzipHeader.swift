/// A reader of a gzip member's header (RFC 1952 2.3), of which it keeps nothing.
struct GzipHeader {
  enum Outcome: Equatable {
    /// The cursor is after the header.
    case valid
    /// The cursor is after the header, whose own checksum (FHCRC) does not match.
    case checksumFailed
    /// The source ends inside the header.
    case truncated
    /// There is no member here: a wrong magic number, method or reserved flag, or too long.
    case invalid
  }

  private static let fixedByteCount = 10
  private static let headerChecksum: UInt8 = 0x02
  private static let extraField: UInt8 = 0x04
  private static let name: UInt8 = 0x08
  private static let comment: UInt8 = 0x10
  private static let reserved: UInt8 = 0xE0

  private let input: InputWindow
  private let limit: UInt64
  private var checksum: UInt32 = 0

  /// Reads the header at the cursor, which may have up to `limit` bytes.
  static func read(_ input: InputWindow, limit: UInt64 = .max) throws -> Outcome {
    var header = GzipHeader(input: input, limit: limit)
    return try header.read()
  }

  private mutating func read() throws -> Outcome {
    let isWhole = try input.require(Self.fixedByteCount)
    let start: [UInt8] = [GzipMagic.first, GzipMagic.second, GzipMagic.deflate]
    for index in 0..<min(start.count, input.available) where input[index] != start[index] {
      return .invalid
    }
    guard input.available <= 3 || input[3] & Self.reserved == 0 else { return .invalid }
    guard isWhole else { return .truncated }
    let flags = input[3]
    let begin = input.offset
    pass(Self.fixedByteCount)
    if flags & Self.extraField != 0 {
      guard try input.require(2) else { return .truncated }
      let count = input.number(at: 0, count: 2)
      pass(2)
      guard input.offset &- begin &+ count <= limit else { return .invalid }
      guard try input.require(Int(count)) else { return .truncated }
      pass(Int(count))
    }
    for flag in [Self.name, Self.comment] where flags & flag != 0 {
      let outcome = try passText(from: begin)
      if outcome != .valid { return outcome }
    }
    guard flags & Self.headerChecksum != 0 else { return .valid }
    guard try input.require(2) else { return .truncated }
    let stored = input.number(at: 0, count: 2)
    input.advance(2)
    return stored == UInt64(checksum & 0xFFFF) ? .valid : .checksumFailed
  }

  /// Moves the cursor behind `count` available bytes, and sums them up.
  private mutating func pass(_ count: Int) {
    checksum = unsafe CRC32.update(checksum, input.prefix(count))
    input.advance(count)
  }

  private mutating func passText(from begin: UInt64) throws -> Outcome {
    while try input.require(1) {
      let zero = unsafe input.bytes.firstIndex(of: 0)
      let count = zero.map { $0 + 1 } ?? input.available
      guard input.offset &- begin &+ UInt64(count) <= limit else { return .invalid }
      pass(count)
      if zero != nil { return .valid }
    }
    return .truncated
  }
}
