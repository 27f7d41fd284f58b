import AuditEngine
import TestSupport

@testable import AuditState

extension FuzzSeeds {
  /// Returns the segment of a kind of a small state.
  static func segment(_ kind: SegmentKind) throws -> [UInt8] {
    let scratch = try Scratch()
    let state = try StateDirectory.open(path: scratch.path + "/state", mode: .advance, now: 0)
    let run = try state.beginRun(
      TransactionFacts(id: "1", day: "2026-03-01", startedAt: 0, window: 1, pendingFor: 1))
    for tag: UInt8 in 0..<40 {
      let group = [UInt8](repeating: tag, count: 32) + [32]
      let record =
        group + [UInt8](repeating: 255 - tag, count: KeptRecord.byteCount - group.count)
      try unsafe record.withUnsafeBytes { unsafe try run.history.hashes.remember($0) }
      try unsafe record.withUnsafeBytes { unsafe try run.history.events.keep($0) }
    }
    try run.prepare(
      TransactionOutcome(sources: [], inputs: [], finishedAt: 0, totals: CommittedTotals()))
    try run.commit()
    run.finish()
    return try scratch.bytes("state/\(kind.path(1))")
  }
}
