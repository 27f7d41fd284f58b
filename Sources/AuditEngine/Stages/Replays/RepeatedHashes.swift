internal import AppAttest
internal import CLinux
internal import RowShuffle
internal import Synchronization

/// The clientDataHashes that may be in more than one record, or in one of chosen keys: all others
/// need no shuffle by them. A hash has a place, which others may share: none that repeats is ever missed,
/// and of the others a share of about (hashes added) ÷ places is taken for repeated.
@safe final class RepeatedHashes: @unchecked Sendable {
  // The places are atomic; their memory is fixed until deinit.

  /// Two bits for each place: a hash was added, and another one after it.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let memory: MappedMemory
  private static let placesPerWord = 32
  private let shift: UInt64
  /// The keys whose events' hashes count, or nil if all do.
  private let eventKeys: Set<Digest256>?

  static let leastBytes = 1 << 14

  /// Takes up to `bytes`, at least `leastBytes`, at most 2 GiB: a power of two. Gives nil if the
  /// system has no room for them. `eventKeys` are those whose events are wanted, or nil for all.
  init?(bytes: Int, eventKeys: Set<Digest256>? = nil) {
    self.eventKeys = eventKeys
    let bytes = min(max(bytes, Self.leastBytes), 1 << 31)
    let bits = Int.bitWidth - 1 - (bytes / MemoryLayout<UInt64>.size).leadingZeroBitCount
    shift = UInt64(64 - bits - Self.placesPerWord.trailingZeroBitCount)
    // An atomic number is laid out as its value.
    memory = MappedMemory(byteCount: MemoryLayout<Atomic<UInt64>>.stride << bits)
    unsafe words = memory.base.assumingMemoryBound(to: Atomic<UInt64>.self)
    if memory.byteCount == 0 { return nil }
  }

  struct Place {
    fileprivate let word: Int
    /// The first of its two bits in the word.
    fileprivate let bit: UInt64
  }

  /// Looks up the place of a hash of 8 bytes or more, whose word is fetched meanwhile.
  @inline(__always)
  func place(of hash: UnsafeRawBufferPointer) -> Place {
    let (word, bit) = unsafe place(at: Self.mixed(hash))
    unsafe attest_prefetch(words + word)
    return Place(word: word, bit: bit)
  }

  /// Adds the hash of a record, which names this key or none, at its place. From any thread.
  @inline(__always)
  func add(_ place: Place, of keyID: Digest256?) {
    if let eventKeys {
      guard let keyID, eventKeys.contains(keyID) else { return }
      unsafe words[place.word].bitwiseOr(place.bit | place.bit << 1, ordering: .relaxed)
    } else if !mayRepeat(place) {
      let before = unsafe words[place.word].bitwiseOr(place.bit, ordering: .relaxed).oldValue
      if before & place.bit != 0 {
        unsafe words[place.word].bitwiseOr(place.bit << 1, ordering: .relaxed)
      }
    }
  }

  /// Returns whether the hash of a place may have been added more than once; once all were added.
  @inline(__always)
  func mayRepeat(_ place: Place) -> Bool {
    unsafe words[place.word].load(ordering: .relaxed) & place.bit << 1 != 0
  }

  /// Adds the hash of a record once its key is known; only a choice of keys asks for it.
  func addJoined(_ hash: UnsafeRawBufferPointer, of keyID: Digest256?) {
    guard eventKeys != nil else { return }
    unsafe add(place(of: hash), of: keyID)
  }

  /// Adds hashes that earlier runs know, the first ``frontBytes`` of each one after the other: if this run has one of
  /// them, it repeats. Nobody else uses the places meanwhile.
  func add(earlier fronts: UnsafeRawBufferPointer) {
    let ahead = 8 * Self.frontBytes
    for start in stride(from: 0, to: fronts.count, by: Self.frontBytes) {
      if start + ahead < fronts.count {
        let (word, _) = unsafe place(at: Self.mixed(fronts, at: start + ahead))
        unsafe attest_prefetch(words + word)
      }
      let (word, bit) = unsafe place(at: Self.mixed(fronts, at: start))
      if unsafe words[word].load(ordering: .relaxed) & bit != 0 {
        unsafe words[word].bitwiseOr(bit << 1, ordering: .relaxed)
      }
    }
  }

  /// Adds what was found to be repeated elsewhere: a ``place(_:)``.
  func add(repeated place: UInt64) {
    let (word, bit) = self.place(at: place << Self.droppedBits)
    unsafe words[word].bitwiseOr(bit | bit << 1, ordering: .relaxed)
  }

  /// Returns whether the hash may have been added more than once; once all were added.
  func mayHold(_ hash: UnsafeRawBufferPointer) -> Bool { unsafe mayRepeat(place(of: hash)) }

  /// Returns the place of a hash among as many as there can be, in ``HashPlaces/placeBytes`` bytes.
  static func place(_ hash: UnsafeRawBufferPointer) -> UInt64 {
    unsafe mixed(hash) >> droppedBits
  }

  private static let droppedBits = UInt64(64 - 8 * HashPlaces.placeBytes)

  /// Bytes at the front of a hash that decide on its place.
  static let frontBytes = 16

  /// Mixes the front of a hash by multiplication (Knuth, The Art of Computer Programming 3, 6.4).
  @inline(__always)
  private static func mixed(_ hash: UnsafeRawBufferPointer, at start: Int = 0) -> UInt64 {
    guard hash.count >= 8 else { return 0 }
    let head = unsafe hash.loadUnaligned(fromByteOffset: start, as: UInt64.self)
    let second = min(hash.count, start + frontBytes) - 8
    let tail = unsafe hash.loadUnaligned(fromByteOffset: second, as: UInt64.self)
    return (head ^ (tail << 1 | tail >> 63)) &* 0x9E37_79B9_7F4A_7C15
  }

  /// Returns the word of a hash's place, and the first of its two bits there.
  private func place(at mixed: UInt64) -> (word: Int, bit: UInt64) {
    let place = mixed >> shift
    return (
      Int(place / UInt64(Self.placesPerWord)), 1 << (place % UInt64(Self.placesPerWord) * 2)
    )
  }
}
