/// The key of the digests by which lines are compared: SipHash-1-3 of a line's bytes (Aumasson and Bernstein,
/// "SipHash: a fast short-input PRF"; one round for each word, three at the end).
///
/// The key is secret: a client that knew it could make two different lines that have one digest. It belongs to the
/// state, or is random for a run without a state. No report depends on it.
package struct LineKey: Sendable, Equatable {
  package let halves: (UInt64, UInt64)

  package init(_ first: UInt64, _ second: UInt64) { halves = (first, second) }

  package init() { self.init(.random(in: 0 ... .max), .random(in: 0 ... .max)) }

  /// A key that is no secret, for digests of which nobody gains by making two that are equal.
  package static let known = LineKey(0, 0)

  package static func == (left: LineKey, right: LineKey) -> Bool { left.halves == right.halves }

  /// The key of lines that damage cut: such a line is equal to no other, even if all its bytes arrived.
  var ofCutLines: LineKey { LineKey(~halves.0, halves.1) }

  package func digest(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = State(self)
    let whole = bytes.count & ~7
    for offset in stride(from: 0, to: whole, by: 8) {
      unsafe state.take(
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) << 56
    for offset in whole..<bytes.count {
      unsafe last |= UInt64(bytes[offset]) << (8 * UInt64(offset - whole))
    }
    state.take(last)
    return state.end()
  }

  private struct State {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    init(_ key: LineKey) {
      a = key.halves.0 ^ 0x736f_6d65_7073_6575
      b = key.halves.1 ^ 0x646f_7261_6e64_6f6d
      c = key.halves.0 ^ 0x6c79_6765_6e65_7261
      d = key.halves.1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func take(_ word: UInt64) {
      d ^= word
      round()
      a ^= word
    }

    mutating func end() -> UInt64 {
      c ^= 0xFF
      for _ in 0..<3 { round() }
      return a ^ b ^ c ^ d
    }

    @inline(__always)
    private mutating func round() {
      a = a &+ b
      c = c &+ d
      b = (b << 13 | b >> 51) ^ a
      d = (d << 16 | d >> 48) ^ c
      a = a << 32 | a >> 32
      a = a &+ d
      c = c &+ b
      d = (d << 21 | d >> 43) ^ a
      b = (b << 17 | b >> 47) ^ c
      c = c << 32 | c >> 32
    }
  }
}

/// The kind of a line, as far as it decides which lines are compared.
package enum LineKind: UInt64, Sendable {
  case blank
  /// A line that is not one complete JSON object.
  case other
  /// A JSON object that is not a request.
  case object
  /// A line read as attestation or assertion.
  case request
}

/// The digest of a line. The low 3 bits are its kind.
package struct LineDigest: Sendable, Hashable {
  package let bits: UInt64
  private static let kindBits: UInt64 = 7

  package init(bits: UInt64) { self.bits = bits }

  init(_ digest: UInt64, _ kind: LineKind) { bits = digest & ~Self.kindBits | kind.rawValue }

  func with(_ kind: LineKind) -> LineDigest { LineDigest(bits, kind) }

  var kind: LineKind { LineKind(rawValue: bits & Self.kindBits) ?? .other }
  var isRequest: Bool { bits & Self.kindBits == LineKind.request.rawValue }
  var isObject: Bool { bits & Self.kindBits >= LineKind.object.rawValue }

  /// The digest of the bytes only: equal lines have the same, whatever a schema says of their kind.
  var content: UInt64 { bits & ~Self.kindBits }
}
