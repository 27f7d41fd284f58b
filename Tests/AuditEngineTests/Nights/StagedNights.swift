import AppAttest
import TestSupport

@testable import AuditEngine
@testable import AuditLog

/// Audits night by night over one state, and their findings that are open in the end.
struct StagedNights {
  var audit = StagedAudit()
  let history: MemoryHistory
  /// By fingerprint; what was closed is gone.
  private(set) var open: [UInt64: Finding] = [:]
  private var night = 0

  init(_ audit: StagedAudit = StagedAudit(), pendingDays: Int? = nil) {
    self.audit = audit
    history = MemoryHistory(pendingDays: pendingDays)
  }

  /// Audits one night's records. In the mode `reference` it leaves nothing.
  mutating func run(
    _ records: [StagedRecord], mode: RunMemory.Mode = .advance,
    _ change: (inout RunMemory) -> Void = { _ in }
  ) throws -> StagedAudit.Outcome {
    night += 1
    let date = "2026-03-\(night < 10 ? "0" : "")\(night)"
    var run = history.beginRun(mode: mode, date: date, names: ["night \(night)"])
    change(&run)
    audit.history = run
    let outcome = try audit.run(records)
    guard mode == .advance else {
      history.abandon()
      return outcome
    }
    for finding in outcome.findings {
      try run.findings.remember(finding)
      open[finding.fingerprint] = finding
    }
    for finding in outcome.closed { open[finding.fingerprint] = nil }
    history.commit()
    return outcome
  }

  /// The open findings, each as `code line`, in order.
  var standing: [String] { open.values.map(\.place).sorted() }
}

extension Finding {
  /// `code line`.
  var place: String { "\(code.name) \(position.line)" }
}

extension RereadLines {
  /// Returns the list by which a run reads the first lines of earlier runs' sources again in its own source of that index,
  /// or in none.
  static func all(
    of sources: Set<UInt32>, lines count: UInt64 = .max, index: Int = .max
  ) -> RereadLines {
    var lines = RereadLines()
    for source in sources {
      lines.add(RereadLines.Part(source: source, line: 1, index: index, here: 1, count: count))
    }
    return lines
  }
}
