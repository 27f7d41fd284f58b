import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// A judge of one key alone. The fuzz target `judges` compares judges of nights and snapshots with one of everything.
@Suite struct `Key judge` {
  private let texts = TextStore()

  /// Returns what a judge says of an event, and whether it keeps the event's subject.
  private func judge(
    _ sample: SampleEvent, holds: Bool, isTrusted: Bool = true, app: UInt16? = nil
  ) throws -> (opinion: KeyOpinion, keepsSubject: Bool) {
    var registry = KeyJudge.Registry()
    (registry.isTrusted, registry.app) = (isTrusted, app ?? sample.app)
    var key = KeyJudge(registry, KeySnapshot(), lastCounter: nil, DetectionPolicy())
    let row = RowBuilder(texts: texts)
    try sample.write(row)
    let view = unsafe EventRow(row.row)
    return (key.judge(view, view.rest, holds: holds), key.subject != nil)
  }

  @Test func `an invalid signature over client data that the log did not keep accuses nobody`()
    throws
  {
    // verification.R42; detection.R30 to R32.
    for (isLossy, holds, isTrusted, code) in [
      (true, false, true, FindingCode.recordClientDataLossy),
      (false, false, true, .assertionSignatureInvalid), (true, true, true, nil),
      (true, false, false, nil),
    ] as [(Bool, Bool, Bool, FindingCode?)] {
      var sample = SampleEvent()
      sample.isLossy = isLossy
      sample.subject = "u"
      let (opinion, keepsSubject) = try judge(sample, holds: holds, isTrusted: isTrusted)
      #expect(opinion.codes == CodeSet(code.map { [$0] } ?? []))
      // Neither its counter nor its subject counts, and it comes after what was verified.
      #expect(opinion.signatureHolds == (holds && isTrusted))
      #expect(keepsSubject == (holds && isTrusted))
      let isExamined = code != .assertionSignatureInvalid
      #expect(opinion.flags.contains(.lookedAt) == isExamined)
      #expect(opinion.flags.contains(.behind) == (isExamined && !opinion.signatureHolds))
    }
  }

  @Test func `a claimed key, an unproven nonce and an unknown app have their marks`() throws {
    // A failed attestation claims the key of a list.
    #expect(
      try judge(SampleEvent(flags: .claimed), holds: false).opinion.flags.contains(.untrusted))
    let lossy = SampleEvent(
      kind: .attestation, flags: .valid, codes: CodeSet([.recordClientDataLossy]))
    #expect(try judge(lossy, holds: true).opinion.flags.contains(.behind))
    #expect(try judge(SampleEvent(), holds: true, app: 3).opinion.codes == CodeSet())
    let other = try judge(SampleEvent(app: 2), holds: true, app: 3)
    #expect(other.opinion.codes == CodeSet([.assertionAppIDMismatch]))
  }

  @Test func `the first subject is that of a record that failed no check (detection.R12)`() throws {
    for (codes, isTaken) in [([], true), ([.assertionCategoryMismatch], false)]
      as [([FindingCode], Bool)]
    {
      var sample = SampleEvent()
      (sample.subject, sample.codes) = ("u", CodeSet(codes))
      #expect(try judge(sample, holds: true).keepsSubject == isTaken)
    }
  }
}
