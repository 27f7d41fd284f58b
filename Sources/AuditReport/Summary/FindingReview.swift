package import AuditEngine
internal import Synchronization

/// The one pass over the findings of a run with a state. It distinguishes those that are new, back
/// or more severe than before from those that earlier runs already reported, and leaves them all to
/// later runs. It is used by one thread.
///
/// Only the counts and examples of ``news`` are held, however many findings there are.
package final class FindingReview {
  private let history: RunMemory
  private let day: String
  private let figures: () throws -> StateFigures
  /// The new findings of the reports, once the pass is over.
  package private(set) var news = FindingNews(isDistinct: true)
  /// The fingerprints of those that earlier runs reported: they are back, or more severe than before.
  private(set) var newAgain: [UInt64] = []
  /// The number of builds that the state does not take.
  private(set) var forgottenBuilds: UInt64 = 0
  /// The largest number of these fingerprints.
  private static let newAgainLimit = 10_000

  /// Makes the review.
  ///
  /// - `day`: the run's day (``AuditConfiguration/day``), which is the first day of new findings.
  /// - `figures`: called at most once, after all findings.
  package init(
    _ history: RunMemory, day: String, figures: @escaping () throws -> StateFigures
  ) {
    self.history = history
    self.day = day
    self.figures = figures
  }

  var mode: RunMemory.Mode { history.mode }

  func stateFigures() throws -> StateFigures { try figures() }

  /// Takes every finding of the run if no report is written.
  package func review(_ result: any AuditResult, progress: AuditProgress) throws {
    let sources = SourceNames(result)
    try result.forEachFinding { finding in
      _ = try note(finding, sources: sources)
      if !finding.isAccepted { progress.rowsDone.wrappingAdd(1, ordering: .relaxed) }
    }
  }

  /// Returns on which nights a build was seen, including this one.
  func note(_ build: Build) throws(AuditError) -> BuildSighting {
    let earlier = try history.builds?.sighting(build.digest)
    if history.mode == .advance, let builds = history.builds,
      try !builds.remember(build, isNew: earlier == nil)
    {
      forgottenBuilds += 1
    }
    return BuildSighting(
      firstNight: earlier?.firstNight ?? day, nights: (earlier?.nights ?? 0) &+ 1)
  }

  /// Returns the first day and the number of reports of a finding, including this run. An accepted
  /// finding is remembered, but is not new. A fingerprint that occurs again in the run counts once:
  /// remembered findings show only in later runs.
  func note(_ finding: Finding, sources: SourceNames) throws(AuditError) -> Sighting {
    if history.mode == .advance { try history.findings.remember(finding) }
    let earlier = try history.findings.sighting(finding.fingerprint)
    var sighting = Sighting(
      firstSeen: earlier?.firstSeen ?? day, times: (earlier?.times ?? 0) &+ 1)
    if !finding.isAccepted, earlier?.isNews(finding) ?? true {
      news.add(finding, sources: sources)
      // A page that is rendered again knows no others.
      sighting.isNewAgain = earlier != nil && newAgain.count < Self.newAgainLimit
      if sighting.isNewAgain { newAgain.append(finding.fingerprint) }
    }
    return sighting
  }
}
