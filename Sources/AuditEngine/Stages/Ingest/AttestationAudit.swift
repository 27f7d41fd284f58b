internal import AppAttest
internal import AuditLog
internal import SignatureBatch

/// A judge of attestations for one worker. Those of the ordinary form under known authorities wait
/// until there are enough to verify by key. OpenSSL judges all others, what is left open or
/// invalid, and a random sample of what holds: where it disagrees, the run stops.
final class AttestationAudit {
  /// An attestation that waits, with its record's bytes.
  private final class Waiting {
    let draft: EventDraft
    let bytes: [UInt8]
    let record: AttestationRecord
    let attestation: OrdinaryAttestation

    init(
      _ draft: EventDraft, _ bytes: [UInt8], _ record: consuming AttestationRecord,
      _ attestation: consuming OrdinaryAttestation
    ) {
      self.draft = draft
      self.bytes = bytes
      self.record = record
      self.attestation = attestation
    }
  }

  private static let most = 256

  private let verifier: AttestationVerifier
  /// ``TableKernel/judge(_:_:)``.
  private let kernel: (SigningKey, [UInt8]) -> [BatchVerdict]
  private var sample: RandomSample
  private var waiting: [Waiting] = []
  private var waitingBytes = 0
  private let mostBytes: Int

  /// Makes a judge that has attestations wait up to so many bytes of their records. `crossCheck` is the share of those
  /// accepted by batches, 0 to 1, that OpenSSL judges again.
  init(
    _ verifier: AttestationVerifier, kernel: @escaping (SigningKey, [UInt8]) -> [BatchVerdict],
    waitingBytes: Int = MemoryPlan.waitingBytesRange.upperBound, crossCheck: Double
  ) {
    self.verifier = verifier
    self.kernel = kernel
    mostBytes = waitingBytes
    sample = RandomSample(share: crossCheck)
  }

  /// Whether ``judge()`` is due.
  var isFull: Bool { waiting.count >= Self.most || waitingBytes >= mostBytes }

  /// Keeps an attestation until it is settled. Returns false if it has to be judged by itself.
  func take(_ draft: EventDraft, _ bytes: Span<UInt8>, _ record: AttestationRecord) -> Bool {
    let token = bytes.extracting(draft.record.token)
    guard let attestation = verifier.read(token: token, of: record) else { return false }
    waiting.append(Waiting(draft, bytes.copied(), record, attestation))
    waitingBytes += bytes.count
    return true
  }

  /// Judges all that wait, and calls `body` with each and its record's bytes, in the order in which they came; none waits
  /// any more.
  func judge(
    _ body: (EventDraft, [UInt8], AttestationJudgement) throws(AuditError) -> Void
  ) throws(AuditError) {
    guard !waiting.isEmpty else { return }
    let all = waiting
    waiting = []
    waitingBytes = 0
    let verdicts = verdicts(all)
    for (item, verdicts) in zip(all, verdicts) {
      try body(item.draft, item.bytes, try decide(item, verdicts))
    }
  }

  /// Returns the verdicts on each one's signatures, in their order.
  private func verdicts(_ all: [Waiting]) -> [[BatchVerdict]] {
    let items = all.span
    var verdicts = items.indices.map {
      [BatchVerdict](repeating: .invalid, count: items[$0].attestation.signatures.count)
    }
    // What may be signed in several ways is nearly always signed in the first.
    var way = 0
    while join(way, of: items, to: &verdicts) { way += 1 }
    return verdicts
  }

  /// Judges signatures over the next of their digests, if they hold over none before it. Returns false
  /// if no signature has so many.
  private func join(
    _ way: Int, of all: Span<Waiting>, to verdicts: inout [[BatchVerdict]]
  ) -> Bool {
    // Few keys are known at a time, and nearly all are signed by the first.
    var groups: [(key: SigningKey, numbers: [UInt8], owners: [(Int, Int)])] = []
    for index in all.indices {
      for (place, signature) in all[index].attestation.signatures.enumerated()
      where verdicts[index][place] != .valid {
        let size = SignatureCurve(signature.key.curve).signatureBytes
        guard (way + 1) * size <= signature.numbers.count else { continue }
        let group = groups.firstIndex { $0.key == signature.key } ?? groups.count
        if group == groups.count { groups.append((signature.key, [], [])) }
        groups[group].numbers += signature.numbers[(way * size)..<((way + 1) * size)]
        groups[group].owners.append((index, place))
      }
    }
    for group in groups {
      let found = kernel(group.key, group.numbers)
      for ((index, place), verdict) in zip(group.owners, found) {
        verdicts[index][place].join(verdict)
      }
    }
    return !groups.isEmpty
  }

  private func decide(
    _ item: Waiting, _ verdicts: [BatchVerdict]
  ) throws(AuditError) -> AttestationJudgement {
    let quick = item.attestation.judgement
    let key = quick.publicKey ?? []
    let holds =
      verdicts.allSatisfy { $0 == .valid } && SignatureCurve.p256.isPoint(key.span)
    if holds, !sample.next() { return .judged(quick) }
    let bytes = item.bytes
    let judgement = verifier.judge(
      token: bytes.span.extracting(item.draft.record.token), of: item.record)
    guard case .judged(let judged) = judgement else {
      throw disagreement(item, "is malformed")
    }
    if holds, judged != quick { throw disagreement(item, "is judged otherwise") }
    let checks: [AttestationCheck] = [.chainUntrusted, .receiptInvalid]
    for (verdict, check) in zip(verdicts, checks) where verdict == .invalid {
      guard judged.failures.contains(where: { $0.check == check }) else {
        throw disagreement(item, "is valid although a signature was rejected")
      }
    }
    return judgement
  }

  private func disagreement(_ item: Waiting, _ what: String) -> AuditError {
    AuditError(
      .inconsistent,
      "the batch verifier and OpenSSL disagree on the attestation of key "
        + "\(item.record.keyIdentifier.hex), which by OpenSSL \(what); --verifier openssl does "
        + "without it")
  }
}

extension BatchVerdict {
  /// Joins the verdict on the same signature over another message: it holds where either does.
  fileprivate mutating func join(_ other: BatchVerdict) {
    if self == .invalid || other == .valid { self = other }
  }
}
