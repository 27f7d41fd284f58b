/// Decisions and content taken from the front of an input. Behind its end, everything is 0.
struct FuzzBytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns a number from 0 up to, but not including, `limit`, which is at most 65,536.
  mutating func below(_ limit: Int) -> Int {
    limit <= 256 ? Int(byte()) % limit : (Int(byte()) << 8 | Int(byte())) % limit
  }

  mutating func once(in count: Int) -> Bool { below(count) == 0 }

  /// Returns exactly `count` bytes.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let taken = rest.prefix(count)
    rest = rest.dropFirst(count)
    return taken + [UInt8](repeating: 0, count: count - taken.count)
  }

  /// Returns all that is left.
  mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}
