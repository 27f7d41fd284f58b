internal import AppAttest

/// A Bloom filter of the values in a block of events: what is not in it is not in the block.
struct EventFilter {
  /// Bits for each value and hash functions: one block in some two thousand is read in vain.
  private static let bitsPerValue = 16
  private static let functions: UInt64 = 8

  private(set) var words: [UInt64]

  init(words: [UInt64]) { self.words = words }

  /// Makes the filter of `hashes`; equal ones in a row count once.
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

  /// Returns whether the block may have the value; false is certain.
  func mayContain(_ hash: UInt64) -> Bool {
    guard !words.isEmpty else { return true }
    return Self.forEachBit(of: hash, among: UInt64(words.count) * 64) { bit in
      words[Int(bit >> 6)] & 1 << (bit & 63) != 0
    }
  }

  /// Calls `body` with each place of a value until it returns false; returns whether it never did.
  @discardableResult
  private static func forEachBit(
    of hash: UInt64, among bits: UInt64, _ body: (UInt64) -> Bool
  ) -> Bool {
    let step = mixed(hash) | 1
    var place = hash
    for _ in 0..<functions {
      guard body(place % bits) else { return false }
      place &+= step
    }
    return true
  }

  /// The kind of value behind a hash, so that a subject is told from a request of the same text.
  enum Field: UInt8 {
    case clientDataHash = 1
    case subject, requestID, device
  }

  /// Returns the hash of a value: FNV-1a with a last mixing, the same on every machine.
  static func hash(_ field: Field, _ value: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(field.rawValue)
    for byte in value { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return mixed(hash)
  }

  /// Returns the last step of MurmurHash3: every bit of the number changes every bit of the result.
  private static func mixed(_ number: UInt64) -> UInt64 {
    var hash = number
    hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ hash >> 33
  }
}
