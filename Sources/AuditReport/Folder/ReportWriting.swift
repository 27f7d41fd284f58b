package import AuditEngine
internal import Synchronization

extension ReportDirectory {
  /// Writes every file, in one pass over each stream of `result`, and puts the report in place.
  /// `run` is called after all rows, `beforePlacing` once every file is on the disk: if it throws,
  /// there is no report. Returns notices about steps that failed after that, one line each.
  package func write(
    _ result: any AuditResult, _ contents: ReportContents = ReportContents(page: false),
    review: FindingReview = FindingReview(), progress: AuditProgress, run: () -> RunFacts,
    beforePlacing: () throws -> Void = {}
  ) throws -> [String] {
    try place(beforePlacing: beforePlacing) {
      var page = contents.page ? ReportPage(fixed: contents.settings?.fixedCodes ?? []) : nil
      var entries = try writeFindings(result, contents, review, &page, progress)
      entries.append(try writeKeys(result, &page, progress))
      entries.append(try writeRejects(result, progress))
      if contents.index { entries += try writeEvents(result, contents, &page, progress) }
      if contents.verdicts { entries.append(try writeVerdicts(result, progress)) }
      let (list, builds) = try writeBuilds(result, review)
      entries.append(list)
      let silences = InputSilence.find(result.inputs, hasState: review.hasState)
      if let page {
        let facts = RunSummary(
          inputs: result.inputs, totals: result.totals, settings: contents.settings,
          hasState: review.hasState, silences: silences, likelyCauses: result.likelyCauses,
          blindSpots: result.blindSpots, builds: builds, day: contents.day)
        entries.append(try writeWhole(ReportPage.name) { page.write(facts, to: &$0) })
      }
      entries.append(
        try writeDocument(
          SummaryJSON.name,
          SummaryJSON.tree(
            result, run: run(), contents: contents, silences: silences, builds: builds,
            review: review.hasState ? review : nil)))
      let notices = [
        (builds.unlisted, "further build", "not in \(BuildColumns.name), which lists"),
        (review.forgottenBuilds, "new build", "not in the state, which has"),
      ].filter { $0.0 > 0 }
      return (entries, notices.map { "\(Plural.text($0, $1)): \($2) \(BuildRow.limit)" })
    }
  }

  /// Writes the files of `body` and the manifest, and puts the report in place. Returns notices.
  func place(
    beforePlacing: () throws -> Void = {}, _ body: () throws -> ([ManifestEntry], [String])
  ) throws -> [String] {
    do {
      let (entries, notices) = try body()
      _ = try writeDocument(Manifest.name, Manifest.tree(entries))
      try beforePlacing()
      return notices + (try putInPlace())
    } catch {
      abandon()
      throw error
    }
  }

  func findingFiles(
    _ formats: [FindingFormat], hasState: Bool, day: String
  ) throws(AuditError) -> [FindingFile] {
    try formats.map { format throws(AuditError) in
      FindingFile(format, hasState: hasState, day: day, try create(format.fileName))
    }
  }

  private func writeFindings(
    _ result: any AuditResult, _ contents: ReportContents, _ review: FindingReview,
    _ page: inout ReportPage?, _ progress: AuditProgress
  ) throws -> [ManifestEntry] {
    let (hasState, day) = (review.hasState, contents.day)
    let formats = FindingFormat.allCases.filter {
      $0.isInEveryReport || contents.formats.contains($0)
    }
    var files = try findingFiles(formats, hasState: hasState, day: day)
    func asideFile(_ name: String) throws -> FindingFile {
      FindingFile(.csv, hasState: hasState, day: day, try create(name))
    }
    let accepted = result.totals.accepted.isEmpty ? nil : try asideFile(ReportFile.accepted)
    try review.review(result, progress: progress) { reported in
      if reported.finding.isAccepted {
        page?.aside.accepted.add(reported)
        try accepted?.write(reported)
      } else {
        page?.add(reported)
        for file in files { try file.write(reported) }
      }
    }
    if let accepted { files.append(accepted) }
    if hasState {
      let withdrawn = try asideFile(ReportFile.withdrawn)
      try review.reviewWithdrawn(result) { reported in
        page?.aside.withdrawn.add(reported)
        try withdrawn.write(reported)
      }
      files.append(withdrawn)
    }
    return try files.map { try $0.finish() }
  }

  private func writeKeys(
    _ result: any AuditResult, _ page: inout ReportPage?, _ progress: AuditProgress
  ) throws -> ManifestEntry {
    var file = try create(KeyColumns.name)
    KeyColumns.all.writeHeader(to: &file.rows)
    try result.forEachKey { key in
      page?.add(key)
      KeyColumns.all.write(csv: key, to: &file.rows)
      try file.flushIfFull()
      progress.rowsDone.wrappingAdd(1, ordering: .relaxed)
    }
    return try file.finish()
  }

  private func writeRejects(
    _ result: any AuditResult, _ progress: AuditProgress
  ) throws -> ManifestEntry {
    let sources = SourceNames(result)
    var rejects = try create(RejectColumns.name)
    try result.forEachReject { reject in
      RejectColumns.all.write(
        json: ReportedReject(reject: reject, source: sources[reject.position.source]),
        to: &rejects.rows)
      try rejects.flushIfFull()
      progress.rowsDone.wrappingAdd(1, ordering: .relaxed)
    }
    return try rejects.finish()
  }

  /// Writes all events in order of key and time. The page receives those of the keys that it draws.
  private func writeEvents(
    _ result: any AuditResult, _ contents: ReportContents, _ page: inout ReportPage?,
    _ progress: AuditProgress
  ) throws -> [ManifestEntry] {
    var events = try EventsWriter(
      in: self, sources: SourceNames(result),
      history: PageHistory(
        page?.keys.worst.map(\.keyID) ?? [],
        reorderTolerance: contents.settings?.reorderTolerance ?? DetectionPolicy().reorderTolerance)
    )
    try result.forEachEvents { rows in
      try events.add(rows)
      progress.rowsDone.wrappingAdd(rows.count, ordering: .relaxed)
    }
    let (entries, history) = try events.finish()
    page?.history = history
    return entries
  }

  private func writeBuilds(
    _ result: any AuditResult, _ review: FindingReview
  ) throws -> (ManifestEntry, BuildTotals) {
    let columns = review.hasState ? BuildColumns.withState : BuildColumns.plain
    var file = try create(BuildColumns.name)
    columns.writeHeader(to: &file.rows)
    let totals = try result.forEachBuild { row in
      columns.write(csv: ReportedBuild(row, try review.note(row.build)), to: &file.rows)
      try file.flushIfFull()
    }
    return (try file.finish(), totals)
  }

  private func writeVerdicts(
    _ result: any AuditResult, _ progress: AuditProgress
  ) throws -> ManifestEntry {
    let sources = SourceNames(result)
    var file = try create(VerdictsCSV.name)
    try file.compress()
    EventColumns.all.writeHeader(to: &file.rows)
    try result.forEachVerdict { verdict in
      verdict.write(sources, to: &file.rows)
      try file.flushIfFull()
      progress.rowsDone.wrappingAdd(1, ordering: .relaxed)
    }
    return try file.finish()
  }

  func writeWhole(
    _ name: String, _ body: (inout RowBuffer) -> Void
  ) throws(AuditError) -> ManifestEntry {
    var file = try create(name)
    body(&file.rows)
    return try file.finish()
  }

  func writeDocument(_ name: String, _ tree: JSONTree) throws(AuditError) -> ManifestEntry {
    var file = try create(name)
    try file.write(tree)
    return try file.finish()
  }
}

package struct ReportContents: Sendable, Equatable {
  package var verdicts = false
  /// Whether `events.csv.zst` and its index are wanted.
  package var index = false
  package var page = false
  /// The formats of findings that are wanted beside CSV and JSON Lines.
  package var formats: [FindingFormat] = []
  /// The settings for the summary and the page, or nil if they are not kept.
  package var settings: RecordedSettings?
  /// The day that the run is about, `2026-11-20`, or empty if it has none.
  package var day = ""
}

extension ReportContents {
  package init(page: Bool) { self.init(verdicts: false, page: page) }
}
