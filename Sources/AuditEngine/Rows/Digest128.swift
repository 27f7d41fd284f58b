internal import AppAttest

/// Sixteen bytes, compared as bytes.
package struct Digest128: Hashable, Comparable, Sendable {
  package static let byteCount = 16

  private let high: UInt64
  private let low: UInt64

  /// The first 8 bytes, as a big-endian number.
  var prefix: UInt64 { high }

  /// The bytes as two big-endian numbers.
  var words: (UInt64, UInt64) { (high, low) }

  init(_ high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes the digest that begins with `prefix`, a big-endian number, and ends with zeros.
  init(prefix: UInt64) {
    high = prefix
    low = 0
  }

  package init() {
    high = 0
    low = 0
  }

  /// Copies the first 16 bytes; there are that many at least.
  package init(_ bytes: UnsafeRawBufferPointer) {
    high = unsafe bytes.loadUnaligned(as: UInt64.self).bigEndian
    low = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
  }

  func copy(to pointer: UnsafeMutableRawPointer) {
    unsafe pointer.storeBytes(of: high.bigEndian, as: UInt64.self)
    unsafe pointer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
  }

  package static func < (left: Digest128, right: Digest128) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension Digest256 {
  /// The first 8 bytes, as a big-endian number.
  package var prefix: UInt64 { firstHalf.prefix }

  var firstHalf: Digest128 {
    withSpan { bytes in unsafe bytes.withUnsafeBytes { unsafe Digest128($0) } }
  }
}
