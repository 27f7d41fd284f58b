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
    _ sample: SampleEvent, holds: Bool, isTrusted: Bool = true
  ) throws -> (opinion: KeyOpinion, keepsSubject: Bool) {
    var registry = KeyJudge.Registry()
    (registry.isTrusted, registry.app) = (isTrusted, sample.app)
    var key = KeyJudge(registry, KeySnapshot(), lastCounter: nil, DetectionPolicy())
    let row = RowBuilder(texts: texts)
    try sample.write(row)
    let view = unsafe EventRow(row.row)
    return (key.judge(view, view.rest, holds: holds), key.subject != nil)
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
