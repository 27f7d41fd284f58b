/// Four sums of bytes, by which accidents are found, not forgeries: accumulators like those of XXH64 (Collet, "xxHash
/// fast digest algorithm"), with one multiplication of two. A change within 8 bytes always changes a sum.
package struct ByteSums: Sendable, Equatable {
  /// Bytes that are summed at once, 8 by each sum.
  package static let step = 32
  private static let first: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let second: UInt64 = 0xC2B2_AE3D_27D4_EB4F

  package private(set) var sums: SIMD4<UInt64>

  package init(seed: UInt64) {
    sums = SIMD4(
      seed &+ Self.first &+ Self.second, seed &+ Self.second, seed, seed &- Self.first)
  }

  /// Adds bytes, as many times ``step`` as there are, and returns how many these are.
  @discardableResult
  package mutating func add(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = bytes.count / Self.step * Self.step
    guard count > 0, let base = bytes.baseAddress else { return 0 }
    var (a, b, c, d) = (sums.x, sums.y, sums.z, sums.w)
    for offset in stride(from: 0, to: count, by: Self.step) {
      a = unsafe Self.sum(a, base + offset)
      b = unsafe Self.sum(b, base + offset + 8)
      c = unsafe Self.sum(c, base + offset + 16)
      d = unsafe Self.sum(d, base + offset + 24)
    }
    sums = SIMD4(a, b, c, d)
    return count
  }

  @inline(__always)
  private static func sum(_ sum: UInt64, _ bytes: UnsafeRawPointer) -> UInt64 {
    let mixed = unsafe sum &+ bytes.loadUnaligned(as: UInt64.self)
    return (mixed << 31 | mixed >> 33) &* first
  }
}

/// The ``ByteSums`` of a stream.
package struct StreamSums: Sendable {
  private var sums = ByteSums(seed: 0)
  /// The bytes that do not fill a step yet.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  package init() {}

  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var bytes = unsafe bytes
    count += UInt64(bytes.count)
    if !rest.isEmpty {
      let missing = min(ByteSums.step - rest.count, bytes.count)
      unsafe rest += bytes.prefix(missing)
      unsafe bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(missing))
      guard rest.count == ByteSums.step else { return }
      unsafe rest.withUnsafeBytes { unsafe _ = sums.add($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let done = unsafe sums.add(bytes)
    unsafe rest += bytes.dropFirst(done)
  }

  /// The sums of all bytes so far and of their number, 32 bytes.
  package var bytes: [UInt8] {
    var end = sums
    var last = [UInt8](repeating: 0, count: 2 * ByteSums.step)
    last.replaceSubrange(..<rest.count, with: rest)
    unsafe withUnsafeBytes(of: count) {
      unsafe last.replaceSubrange(ByteSums.step..<ByteSums.step + 8, with: $0)
    }
    unsafe last.withUnsafeBytes { unsafe _ = end.add($0) }
    return unsafe withUnsafeBytes(of: end.sums) { unsafe Array($0) }
  }
}
