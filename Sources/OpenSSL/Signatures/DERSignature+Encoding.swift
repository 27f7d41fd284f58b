extension DERSignature {
  /// The longest DER form of two numbers below the order of P-256, in bytes.
  package static let longest = 72

  /// Writes the DER form of r ‖ s, 32 big-endian bytes each, both above 0, to `target`, which has
  /// room for ``longest`` bytes; returns its length.
  static func encode(
    _ numbers: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer
  ) -> Int {
    precondition(numbers.count == 64, "r and s are 32 bytes each")
    var end = 2
    for start in stride(from: 0, to: 64, by: 32) {
      var first = start
      while first < start + 31, unsafe numbers[first] == 0 { first += 1 }
      let lead = unsafe numbers[first] >= 0x80 ? 1 : 0
      let count = start + 32 - first
      unsafe target.storeBytes(of: 0x02, toByteOffset: end, as: UInt8.self)
      unsafe target.storeBytes(of: UInt8(count + lead), toByteOffset: end + 1, as: UInt8.self)
      unsafe target.storeBytes(of: 0, toByteOffset: end + 2, as: UInt8.self)
      unsafe (target + end + 2 + lead).copyMemory(
        from: numbers.baseAddress.unsafelyUnwrapped + first, byteCount: count)
      end += 2 + lead + count
    }
    unsafe target.storeBytes(of: 0x30, as: UInt8.self)
    unsafe target.storeBytes(of: UInt8(end - 2), toByteOffset: 1, as: UInt8.self)
    return end
  }
}
