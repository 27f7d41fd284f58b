internal import AppAttest

/// A Bloom filter of the values in a block of events. A value that is not in the filter is not in
/// the block.
struct EventFilter {
  /// The number of bits for each value, and of hash functions. With these, one block in some two
  /// thousand is read in vain.
  private static let bitsPerValue = 16
  private static let functions: UInt64 = 8

  private(set) var words: [UInt64]

  init(words: [UInt64]) { self.words = words }

  /// Makes the filter of `hashes`. Consecutive equal ones count once.
  init(hashes: [UInt64]) {
    var count = hashes.isEmpty ? 0 : 1
    for index in hashes.indices.dropFirst() where hashes[index] != hashes[index - 1] { count += 1 }
    words = [UInt64](repeating: 0, count: max(1, (count * Self.bitsPerValue + 63) / 64))
    for (index, hash) in hashes.enumerated() where index == 0 || hashes[index - 1] != hash {
      Self.forEachBit(of: hash, among: UInt64(words.count) * 64) { bit in
        words[Int(bit >> 6)] |= 1 << (bit & 63)
        return true
      }
    }
  }

  /// Returns whether the block may have the value. False is certain.
  func mayContain(_ hash: UInt64) -> Bool {
    guard !words.isEmpty else { return true }
    return Self.forEachBit(of: hash, among: UInt64(words.count) * 64) { bit in
      words[Int(bit >> 6)] & 1 << (bit & 63) != 0
    }
  }

  /// Calls `body` with each place of a value until it returns false. Returns whether it never did.
  @discardableResult
  private static func forEachBit(
    of hash: UInt64, among bits: UInt64, _ body: (UInt64) -> Bool
  ) -> Bool {
    let step = mixed(hash) | 1
    var place = hash
    for _ in 0..<functions {
      // The place as a fraction of all numbers, which takes no division.
      guard body(bits.multipliedFullWidth(by: place).high) else { return false }
      place &+= step
    }
    return true
  }

  /// The kind of value behind a hash, so that a subject and a request of the same text have
  /// different hashes.
  enum Field: UInt8 {
    case clientDataHash = 1
    case subject, requestID, device
  }

  /// Returns the hash of a value, the same on every machine. It takes eight bytes at a time.
  static func hash(_ field: Field, _ value: some Collection<UInt8>) -> UInt64 {
    value.withContiguousStorageIfAvailable { unsafe hash(field, $0) }
      ?? hash(field, Array(value))
  }

  private static func hash(_ field: Field, _ value: UnsafeBufferPointer<UInt8>) -> UInt64 {
    // 2^64 divided by the golden ratio.
    let factor: UInt64 = 0x9e37_79b9_7f4a_7c15
    let bytes = UnsafeRawBufferPointer(value)
    var hash = UInt64(field.rawValue) << 56 ^ UInt64(bytes.count)
    var at = 0
    while at + 8 <= bytes.count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian
      hash = mixed(hash ^ word) &+ factor
      at += 8
    }
    var rest: UInt64 = 0
    while at < bytes.count {
      rest = unsafe rest << 8 | UInt64(bytes[at])
      at += 1
    }
    return mixed(hash ^ rest)
  }

  /// Returns the last step of MurmurHash3: every bit of the number changes every bit of the result.
  private static func mixed(_ number: UInt64) -> UInt64 {
    var hash = number
    hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ hash >> 33
  }
}
