package import AuditEngine
internal import Synchronization

/// The one pass over a run's findings: it counts them, and with a state tells and remembers the new ones.
package final class FindingReview {
  /// The memory of a state, or nil if the run stands alone.
  private let history: RunMemory?
  private let day: String
  private let fixed: Set<FindingCode>
  /// Returns the size of the state. It is called at most once, after all findings.
  let figures: () throws -> StateFigures
  /// The findings of the reports, with a state only the new ones, once the pass is over.
  package private(set) var news: FindingNews
  /// The findings that earlier runs reported as they are.
  private(set) var reported = FindingNews(isDistinct: true)
  /// The requests with severe findings: all, and those of the news.
  private(set) var grave = GraveRequests()
  private(set) var newGrave = GraveRequests()
  /// The fingerprints of those that earlier runs reported: they are back, or more severe than before.
  private(set) var newAgain: [UInt64] = []
  /// The first findings about streams, in the order of the reports, and the number of all of them.
  private(set) var damages: [ReportedFinding] = []
  private(set) var damageCount: UInt64 = 0
  /// The first of the worst findings that the run withdraws. Their sentences are the reasons.
  private(set) var withdrawn = LeadingFindings()
  private(set) var forgottenBuilds: UInt64 = 0
  private static let newAgainLimit = 10_000

  /// Makes the review of a run. `day` is the first day of its new findings.
  package init(
    _ history: RunMemory? = nil, day: String = "", fixed: Set<FindingCode> = [],
    figures: @escaping () throws -> StateFigures = { StateFigures() }
  ) {
    self.history = history
    self.day = day
    self.fixed = fixed
    self.figures = figures
    news = FindingNews(isDistinct: history != nil)
  }

  package var hasState: Bool { history != nil }
  var mode: RunMemory.Mode { history?.mode ?? .reference }

  package func review(
    _ result: any AuditResult, progress: AuditProgress,
    _ body: (ReportedFinding) throws -> Void = { _ in }
  ) throws {
    let sources = SourceNames(result)
    try result.forEachFinding { finding in
      let sighting = try note(finding, sources: sources)
      try body(ReportedFinding(finding, sighting, sources))
      if !finding.isAccepted { progress.rowsDone.wrappingAdd(1, ordering: .relaxed) }
    }
  }

  package func reviewWithdrawn(
    _ result: any AuditResult, _ body: (ReportedFinding) throws -> Void = { _ in }
  ) throws {
    let sources = SourceNames(result)
    try result.forEachWithdrawn { finding, sighting in
      withdrawn.add(finding, sources)
      try body(ReportedFinding(finding, sighting, sources))
    }
  }

  /// Returns on which nights a build was seen, including this one, or nil without a state.
  func note(_ build: Build) throws(AuditError) -> BuildSighting? {
    guard let history else { return nil }
    let earlier = try history.builds?.sighting(build.digest)
    if history.mode == .advance, let builds = history.builds,
      try !builds.remember(build, isNew: earlier == nil)
    {
      forgottenBuilds += 1
    }
    return BuildSighting(
      firstNight: earlier?.firstNight ?? day, nights: (earlier?.nights ?? 0) &+ 1)
  }

  /// Returns a finding's first day and number of reports, with this run's. Without a state returns nil.
  private func note(_ finding: Finding, sources: SourceNames) throws(AuditError) -> Sighting? {
    if !finding.isAccepted, finding.position.line == 0 {
      damageCount += 1
      if damages.count < LeadingFindings.limit {
        damages.append(ReportedFinding(finding, nil, sources))
      }
    }
    guard let history else {
      if !finding.isAccepted { add(finding, isNew: true, sources) }
      return nil
    }
    if history.mode == .advance { try history.findings.remember(finding) }
    let earlier = try history.findings.sighting(finding.fingerprint)
    var sighting = Sighting(firstSeen: earlier?.firstSeen ?? day, times: (earlier?.times ?? 0) &+ 1)
    guard !finding.isAccepted else { return sighting }
    let isNew = earlier?.isNews(finding) ?? true
    add(finding, isNew: isNew, sources)
    if isNew {
      // A page that is rendered again knows no others.
      sighting.isNewAgain = earlier != nil && newAgain.count < Self.newAgainLimit
      if sighting.isNewAgain { newAgain.append(finding.fingerprint) }
    }
    return sighting
  }

  private func add(_ finding: Finding, isNew: Bool, _ sources: SourceNames) {
    let counted = finding.counted(fixed)
    grave.add(counted, isNew: isNew)
    guard isNew else { return reported.add(finding, sources: sources) }
    news.add(finding, sources: sources)
    newGrave.add(counted, isNew: true)
  }
}
