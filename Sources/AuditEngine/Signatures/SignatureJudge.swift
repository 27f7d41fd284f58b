internal import AppAttest
internal import Basics
internal import OpenSSL
internal import SignatureBatch

/// A judge of the signatures of blocks, for one worker. OpenSSL decides what the batch kernel rejects
/// or leaves open, and a sample of what it accepts: if they disagree, the run stops.
final class SignatureJudge {
  /// A judge of the signatures of some keys: x ‖ y of each key, how many signatures each has, and r ‖ s ‖ digest of
  /// each signature, of 32 bytes each. It writes the raw value of a `BatchVerdict` for each signature.
  typealias Kernel = (
    _ keys: [UInt8], _ counts: [UInt32], _ signatures: [UInt8], _ verdicts: inout [UInt8]
  ) -> Void

  private let openSSL = P256Verifier()
  /// The batch kernel, or nil if OpenSSL checks every signature.
  private let kernel: Kernel?
  private var sample: RandomSample
  private(set) var tally = VerificationTally()
  private var batch = Batch()
  /// The raw value of a `BatchVerdict` for each.
  private var verdicts: [UInt8] = []

  /// Makes a judge. Without a kernel OpenSSL checks all, else again a share of what it accepts.
  init(kernel: Kernel?, crossCheck: Double) {
    self.kernel = kernel
    sample = RandomSample(share: crossCheck)
  }

  struct Batch {
    fileprivate var keys: [KeyContext] = []
    fileprivate var points: [UInt8] = []
    fileprivate var counts: [UInt32] = []
    fileprivate var signed: [UInt8] = []

    fileprivate var count: Int { signed.count / SignatureCurve.p256.signatureBytes }

    fileprivate mutating func removeAll() {
      keys.removeAll(keepingCapacity: true)
      points.removeAll(keepingCapacity: true)
      counts.removeAll(keepingCapacity: true)
      signed.removeAll(keepingCapacity: true)
    }

    /// Adds a key, whose signatures follow. Returns false if it has no public key.
    mutating func add(_ key: KeyContext) -> Bool {
      guard let point = key.trust?.publicKey else { return false }
      if counts.last == 0 {
        keys.removeLast()
        counts.removeLast()
        points.removeLast(point.count - 1)
      }
      keys.append(key)
      counts.append(0)
      points += point.dropFirst()
      return true
    }

    /// Adds a signature of the last key: r ‖ s ‖ digest.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      counts[counts.count - 1] += 1
      unsafe signed.append(contentsOf: bytes)
    }
  }

  /// Judges what `fill` puts into an empty batch, and calls `body` with each result in order.
  func judge(
    _ fill: (inout Batch) -> Void, _ body: (Bool) -> Void
  ) throws(AuditError) {
    batch.removeAll()
    fill(&batch)
    let count = batch.count
    if let kernel {
      verdicts.removeAll(keepingCapacity: true)
      verdicts.append(contentsOf: repeatElement(BatchVerdict.undecided.rawValue, count: count))
      kernel(batch.points, batch.counts, batch.signed, &verdicts)
      tally.batch += UInt64(count)
    }
    var index = 0
    for (key, count) in zip(batch.keys, batch.counts) {
      for _ in 0..<count {
        body(try decide(index, key))
        index += 1
      }
    }
  }

  private func decide(_ index: Int, _ key: KeyContext) throws(AuditError) -> Bool {
    guard kernel != nil else { return verify(index, key) }
    switch BatchVerdict(rawValue: verdicts[index]) ?? .undecided {
    case .valid:
      guard sample.next() else { return true }
      tally.crossChecked += 1
      guard verify(index, key) else { throw disagreement(index, key, accepted: true) }
      return true
    case .invalid:
      tally.confirmed += 1
      guard !verify(index, key) else { throw disagreement(index, key, accepted: false) }
      return false
    case .undecided:
      tally.undecided += 1
      return verify(index, key)
    }
  }

  private func bytes(_ index: Int) -> Range<Int> {
    let length = SignatureCurve.p256.signatureBytes
    return (index * length)..<((index + 1) * length)
  }

  private func verify(_ index: Int, _ key: KeyContext) -> Bool {
    tally.openssl += 1
    guard let parsed = key.publicKey() else { return false }
    return unsafe batch.signed.withUnsafeBytes {
      unsafe openSSL.verify(
        signed: UnsafeRawBufferPointer(rebasing: $0[bytes(index)]), key: parsed)
    }
  }

  private func disagreement(_ index: Int, _ key: KeyContext, accepted: Bool) -> AuditError {
    let start = bytes(index).lowerBound
    let numbers = [0, 32, 64].map {
      Hex.text(Array(batch.signed[(start + $0)..<(start + $0 + 32)]))
    }
    return AuditError(
      .inconsistent,
      "the batch verifier \(accepted ? "accepts" : "rejects") a signature that OpenSSL "
        + "\(accepted ? "rejects" : "accepts"): public key "
        + "\(Hex.text(key.trust?.publicKey ?? [])), r \(numbers[0]), s \(numbers[1]), digest "
        + "\(numbers[2]); --verifier openssl does without it")
  }
}

/// A share of all calls, drawn at random with another seed for each run.
struct RandomSample {
  private let threshold: UInt64
  private let takesAll: Bool
  private var random: SplitMix64

  init(share: Double) {
    takesAll = share >= 1
    threshold = takesAll ? .max : UInt64(max(share, 0) * 0x1p64)
    var generator = SystemRandomNumberGenerator()
    random = SplitMix64(state: generator.next())
  }

  /// Returns true if this call is one of the share.
  mutating func next() -> Bool {
    takesAll || random.next() < threshold
  }
}
