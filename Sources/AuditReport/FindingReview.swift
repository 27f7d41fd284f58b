package import AuditEngine
internal import Synchronization

/// The one pass over the findings of a run with a state: it tells new ones from those that earlier
/// runs reported, and leaves them all to later runs. Used by one thread.
///
/// Nothing is held of a finding but what ``news`` counts, however many there are.
package final class FindingReview {
  private let history: RunHistory
  private let day: String
  private let figures: () throws -> StateFigures
  /// The new findings of the reports, once the pass is over.
  package private(set) var news = FindingNews()

  /// - `day`: the run's (``AuditConfiguration/day``): the first day of what is new.
  /// - `figures`: asked for once at most, after all findings.
  package init(
    _ history: RunHistory, day: String, figures: @escaping () throws -> StateFigures
  ) {
    self.history = history
    self.day = day
    self.figures = figures
  }

  var mode: RunHistory.Mode { history.mode }

  func stateFigures() throws -> StateFigures { try figures() }

  /// Takes every finding of the run where no report is written.
  package func review(_ result: any AuditResult, progress: AuditProgress) throws {
    let sources = SourceNames(result)
    try result.forEachFinding { finding in
      guard try note(finding, sources: sources) != nil else { return }
      progress.rowsDone.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// When and how often a finding was reported, by this run as well; nil for an accepted one, which
  /// is remembered and stands in no report. A fingerprint that comes again in the run counts once:
  /// what is remembered shows only in later runs.
  func note(_ finding: Finding, sources: SourceNames) throws(AuditError) -> Sighting? {
    let fingerprint = finding.fingerprint
    if history.mode == .advance {
      try history.findings.remember(fingerprint, finding.code, keyID: finding.keyID)
    }
    if finding.isAccepted { return nil }
    guard let earlier = try history.findings.sighting(fingerprint) else {
      news.add(finding, sources: sources)
      return Sighting(firstSeen: day, times: 1)
    }
    // One that was closed and is found again is news.
    if earlier.isClosed { news.add(finding, sources: sources) }
    return Sighting(firstSeen: earlier.firstSeen, times: earlier.times &+ 1)
  }
}
