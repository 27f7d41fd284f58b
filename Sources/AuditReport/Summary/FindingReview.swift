package import AuditEngine
internal import Synchronization

/// The one pass over the findings of a run with a state: it tells those that are new, back or graver
/// than they were from those that earlier runs reported so, and leaves them all to later runs. Used by one thread.
///
/// Nothing is held of a finding but what ``news`` counts, however many there are.
package final class FindingReview {
  private let history: RunMemory
  private let day: String
  private let figures: () throws -> StateFigures
  /// The new findings of the reports, once the pass is over.
  package private(set) var news = FindingNews()

  /// - `day`: the run's (``AuditConfiguration/day``): the first day of what is new.
  /// - `figures`: asked for once at most, after all findings.
  package init(
    _ history: RunMemory, day: String, figures: @escaping () throws -> StateFigures
  ) {
    self.history = history
    self.day = day
    self.figures = figures
  }

  var mode: RunMemory.Mode { history.mode }

  func stateFigures() throws -> StateFigures { try figures() }

  /// Takes every finding of the run where no report is written.
  package func review(_ result: any AuditResult, progress: AuditProgress) throws {
    let sources = SourceNames(result)
    try result.forEachFinding { finding in
      _ = try note(finding, sources: sources)
      if !finding.isAccepted { progress.rowsDone.wrappingAdd(1, ordering: .relaxed) }
    }
  }

  /// Returns when and how often a finding was reported, by this run as well. An accepted one is
  /// remembered, and no news. A fingerprint that comes again in the run counts once: what is
  /// remembered shows only in later runs.
  func note(_ finding: Finding, sources: SourceNames) throws(AuditError) -> Sighting {
    if history.mode == .advance { try history.findings.remember(finding) }
    let earlier = try history.findings.sighting(finding.fingerprint)
    if !finding.isAccepted, earlier?.isNews(finding) ?? true {
      news.add(finding, sources: sources)
    }
    return Sighting(
      firstSeen: earlier?.firstSeen ?? day, times: (earlier?.times ?? 0) &+ 1)
  }
}
