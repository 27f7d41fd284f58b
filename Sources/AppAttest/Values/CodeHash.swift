internal import Basics

/// The hash of an app's code: nearly always 20 or 32 bytes.
public struct CodeHash: Sendable, Hashable {
  /// The lengths that can equal a listed hash, in bytes.
  public static let byteCounts = [truncatedCount, Digest256.byteCount]
  /// The length to which a CodeDirectory hash is truncated in many places, in bytes.
  private static let truncatedCount = 20

  /// The first 32 bytes, zeros after a shorter hash.
  private var front = Digest256()
  /// The bytes after the first 32. Only a hash of an unusual length has any.
  private var rest: [UInt8] = []
  /// The number of bytes.
  public let byteCount: Int

  /// Copies the bytes of a hash.
  public init(_ bytes: Span<UInt8>) {
    byteCount = bytes.count
    if let whole = Digest256(bytes) {
      front = whole
    } else {
      var first = [UInt8](repeating: 0, count: Digest256.byteCount)
      for index in 0..<min(bytes.count, first.count) { first[index] = bytes[index] }
      front = Digest256(first) ?? Digest256()
      if bytes.count > first.count {
        rest = bytes.extracting(first.count..<bytes.count).copied()
      }
    }
  }

  /// Reads a hash of 20 or 32 bytes from hex digits of either case. Returns nil for anything else.
  public init?(hex: String) {
    guard let bytes = Hex.bytes(hex.lowercased().utf8), Self.byteCounts.contains(bytes.count) else {
      return nil
    }
    self.init(bytes.span)
  }

  /// The bytes in their order.
  public var bytes: [UInt8] {
    byteCount <= Digest256.byteCount ? Array(front.bytes.prefix(byteCount)) : front.bytes + rest
  }

  package func withSpan(_ body: (Span<UInt8>) -> Void) {
    if byteCount <= Digest256.byteCount {
      front.withSpan { body($0.extracting(first: byteCount)) }
    } else {
      body(bytes.span)
    }
  }

  /// Lower-case hex digits.
  public var hex: String { Hex.text(bytes) }

  /// Returns whether 20 or 32 bytes each are of the same code: equal as far as both have bytes.
  public func matches(_ other: CodeHash) -> Bool {
    guard Self.byteCounts.contains(byteCount), Self.byteCounts.contains(other.byteCount) else {
      return false
    }
    let count = min(byteCount, other.byteCount)
    return front.withSpan { mine in
      other.front.withSpan { mine.extracting(first: count).equals($0.extracting(first: count)) }
    }
  }
}
