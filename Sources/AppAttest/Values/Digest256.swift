internal import Basics
internal import OpenSSL

/// Thirty-two bytes: a SHA-256 digest or a key identifier, compared as bytes. The words have them
/// in the order of memory; use ``bytes``, ``hex`` or ``withSpan(_:)`` to see them.
public struct Digest256: Hashable, Sendable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// The number of bytes: 32.
  public static let byteCount = 32

  /// Makes thirty-two zero bytes.
  public init() {}

  /// Copies 32 bytes, or returns nil if `bytes` contains any other number.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    unsafe withUnsafeMutableBytes(of: &words) { words in
      unsafe bytes.withUnsafeBytes { unsafe words.copyMemory(from: $0) }
    }
  }

  /// Copies 32 bytes, or returns nil if `bytes` contains any other number.
  public init?(_ bytes: [UInt8]) {
    self.init(bytes.span)
  }

  /// Copies the 32 bytes that start at `pointer`.
  package init(copying pointer: UnsafeRawPointer) {
    unsafe withUnsafeMutableBytes(of: &words) { words in
      unsafe words.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Self.byteCount))
    }
  }

  /// Returns the SHA-256 of `first`, followed by `second` if it is not nil.
  public static func sha256(_ first: Span<UInt8>, _ second: Span<UInt8>? = nil) -> Digest256 {
    var digest = Digest256()
    unsafe withUnsafeMutableBytes(of: &digest.words) { words in
      unsafe SHA256.hash(
        first, second, into: words.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
      )
    }
    return digest
  }

  /// Calls `body` with the 32 bytes in their order.
  public func withSpan<Result, Failure>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe withUnsafeBytes(of: words) { words throws(Failure) in
      try unsafe body(Span(_unsafeElements: words.assumingMemoryBound(to: UInt8.self)))
    }
  }

  /// The 32 bytes in their order.
  public var bytes: [UInt8] {
    unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
  }

  /// Sixty-four lower-case hex digits.
  public var hex: String {
    Hex.text(bytes)
  }

  /// Writes the 32 bytes at `pointer`.
  package func copy(to pointer: UnsafeMutableRawPointer) {
    unsafe withUnsafeBytes(of: words) {
      unsafe pointer.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: Self.byteCount)
    }
  }

  public static func == (left: Digest256, right: Digest256) -> Bool {
    left.words == right.words
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

extension Digest256: Comparable {
  public static func < (left: Digest256, right: Digest256) -> Bool {
    let (a, b) = (left.words, right.words)
    return (a.0.bigEndian, a.1.bigEndian, a.2.bigEndian, a.3.bigEndian)
      < (b.0.bigEndian, b.1.bigEndian, b.2.bigEndian, b.3.bigEndian)
  }
}
