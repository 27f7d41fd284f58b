import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// A judge of one key alone: what two of them say of cut events comes to what one says of all.
@Suite struct `Key judge` {
  private let scratch: Scratch
  private let texts: TextStore

  init() throws {
    scratch = try Scratch()
    texts = TextStore(folder: scratch.path)
  }

  /// An event's row, and how its signature is.
  private struct Judged {
    var row: [UInt8]
    var holds: Bool
    var order: (Int64, UInt32, UInt64)
    var night = 0
  }

  private var policy: DetectionPolicy {
    var policy = DetectionPolicy()
    policy.reorderTolerance = 30
    policy.counterGap = 4
    return policy
  }

  private func row(_ sample: SampleEvent) throws -> [UInt8] {
    let row = RowBuilder(texts: texts)
    try sample.write(row)
    return row.bytes
  }

  private func judge(_ judge: inout KeyJudge, _ event: Judged) -> KeyOpinion {
    withRow(event.row) { bytes in
      let view = unsafe EventRow(bytes)
      return judge.judge(view, view.rest, holds: event.holds)
    }
  }

  /// Returns the codes found for an event, with those that are settled by its hash.
  private func said(_ opinion: KeyOpinion) -> UInt64 {
    opinion.codes.union(opinion.tentativeCodes).bits
  }

  @Test func `an invalid signature over client data that the log did not keep accuses nobody`()
    throws
  {
    // verification.R42.
    for (isLossy, holds, isTrusted, code) in [
      (true, false, true, FindingCode.recordClientDataLossy),
      (false, false, true, .assertionSignatureInvalid), (true, true, true, nil),
      (true, false, false, nil),
    ] as [(Bool, Bool, Bool, FindingCode?)] {
      var sample = SampleEvent()
      sample.isLossy = isLossy
      sample.subject = "u"
      var registry = KeyJudge.Registry()
      registry.isTrusted = isTrusted
      registry.app = sample.app
      var key = KeyJudge(registry, KeySnapshot(), lastCounter: nil, policy)
      let opinion = judge(&key, Judged(row: try row(sample), holds: holds, order: (0, 0, 0)))
      #expect(opinion.codes == CodeSet(code.map { [$0] } ?? []))
      // Neither its counter nor its subject counts, and it comes after what was verified.
      #expect(opinion.signatureHolds == (holds && isTrusted))
      #expect((key.subject != nil) == (holds && isTrusted))
      let isExamined = code != .assertionSignatureInvalid
      #expect(opinion.flags.contains(.lookedAt) == isExamined)
      #expect(opinion.flags.contains(.behind) == (isExamined && !opinion.signatureHolds))
    }
  }

  private func random(_ seed: UInt64) throws -> [Judged] {
    var random = Generator(seed + 11)
    return try (0..<200).map { index in
      var sample = SampleEvent()
      sample.time = Int64(random.below(2000))
      sample.counter = UInt32(max(0, Int(sample.time) / 15 + random.below(9) - 4))
      sample.position = Position(source: 0, line: UInt64(index))
      sample.app = [0, 0, 0, 0, 1, EventRow.noApp][random.below(6)]
      sample.decision = [.unknown, .accepted, .rejected][random.below(3)]
      sample.subject = [nil, "a", "a", "b"][random.below(4)]
      if random.below(2) == 0 {
        sample.serverCounter = UInt32(max(0, Int(sample.counter) - random.below(3)))
      }
      if random.below(20) == 0 {
        (sample.kind, sample.flags, sample.counter) = (.attestation, .valid, 0)
        sample.serverCounter = nil
      }
      return Judged(
        row: try row(sample), holds: random.below(9) > 0,
        order: (sample.time, sample.counter, UInt64(index)), night: random.below(5))
    }.sorted { $0.order < $1.order }
  }

  @Test(arguments: 0..<40)
  func `cut into nights, late ones too, the differences come to one audit`(_ seed: UInt64) throws {
    let events = try random(seed)
    let registry = KeyJudge.Registry(
      isTrusted: true, hasAttestation: true, firstValid: Position(source: 0, line: 0),
      attestedAt: 100, app: 0)
    func make() -> KeyJudge { KeyJudge(registry, KeySnapshot(), lastCounter: nil, policy) }
    var whole = make()
    let expected = events.map { said(judge(&whole, $0)) }
    var standing = [UInt64](repeating: 0, count: events.count)
    for night in 0..<5 {
      var (before, now) = (make(), make())
      for (index, event) in events.enumerated() where event.night <= night {
        let was = event.night < night ? said(judge(&before, event)) : 0
        let isNow = said(judge(&now, event))
        standing[index] |= isNow & ~was
        standing[index] &= ~(was & ~isNow)
      }
    }
    #expect(standing == expected)
    let codes = CodeSet(bits: expected.reduce(0, |))
    for code in [
      FindingCode.counterRegression, .counterReordered, .counterRepeated, .counterServerMismatch,
      .keySubjectChanged, .keyUsedBeforeAttestation, .assertionSignatureInvalid,
      .assertionAppIDMismatch,
    ] {
      #expect(codes.contains(code), "\(code.name)")
    }
  }

  @Test(arguments: 0..<20)
  func `what leaves the window is folded into the snapshot`(_ seed: UInt64) throws {
    let events = try random(seed)
    let registry = KeyJudge.Registry(
      isTrusted: true, hasAttestation: true, firstValid: Position(source: 0, line: 0),
      attestedAt: 100, app: 0)
    var whole = KeyJudge(registry, KeySnapshot(), lastCounter: nil, policy)
    let expected = events.map { said(judge(&whole, $0)) }
    for cut in [0, 1, 57, 120, events.count] {
      var first = KeyJudge(registry, KeySnapshot(), lastCounter: nil, policy)
      for event in events[..<cut] { _ = judge(&first, event) }
      let snapshot = try KeySnapshot(bytes: first.snapshot().bytes)
      var second = KeyJudge(registry, snapshot, lastCounter: nil, policy)
      let rest = events[cut...].map { said(judge(&second, $0)) }
      #expect(rest == Array(expected[cut...]), "\(cut)")
      #expect(second.snapshot().counters.seen == whole.snapshot().counters.seen)
      #expect(second.snapshot().subject == whole.snapshot().subject)
    }
  }
}
