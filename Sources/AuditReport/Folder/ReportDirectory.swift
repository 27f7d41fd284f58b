internal import AppAttest
package import AuditEngine
internal import Files
internal import Synchronization

/// A report folder while it is written. It is complete, or it is removed.
///
/// It is made beside its target, flushed to disk, then renamed into place. If anything fails, if it
/// is abandoned, and if it is destroyed without having been written, nothing is left.
package final class ReportDirectory: Sendable {
  /// The folder as the user named it.
  package let path: String
  let folder: PartialFolder

  /// Throws if a report could not be put at `path`. Call it before any work. Nothing is made or
  /// changed.
  package static func check(path: String, overwrite: Bool) throws(ReportError) {
    let place = try ReportPlace(path: path)
    let parent = try place.openParent()
    _ = try place.admit(overwrite: overwrite, in: parent)
    try asReportError { () throws(FileError) in try parent.requireWriting() }
  }

  /// Makes the folder beside `path` in which the report grows.
  ///
  /// - `mode`: the permissions of its files, whatever the umask. Whoever may read them may enter
  ///   the folder.
  package init(path: String, overwrite: Bool, mode: UInt32 = 0o600) throws(ReportError) {
    self.path = path
    folder = try PartialFolder(place: ReportPlace(path: path), overwrite: overwrite, mode: mode)
  }

  /// Removes the written files, also while another thread is still writing, which then fails with
  /// `abandoned`. Returns false, and leaves the report, if it is complete and in its place already.
  @discardableResult
  package func abandon() -> Bool {
    folder.remove()
  }

  /// Writes every file, in one pass over each stream of `result`, and puts the report in place.
  ///
  /// - `review`: for a run with a state. It takes every finding, and supplies the facts that a
  ///   state adds to the report.
  /// - `run`: called once, after all rows are written.
  /// - `beforePlacing`: called once every file is on the disk. If it throws, there is no report.
  /// - Returns: Notices about steps that failed although the report is in place, one line each.
  /// - Throws: ``ReportError``, or the error of a stream of `result`. The folder is removed then.
  package func write(
    _ result: any AuditResult, _ contents: ReportContents = ReportContents(),
    review: FindingReview? = nil, progress: AuditProgress, run: () -> RunFacts,
    beforePlacing: () throws -> Void = {}
  ) throws -> [String] {
    do {
      var page = contents.page ? ReportPage() : nil
      var entries = try writeRows(result, contents, review: review, &page, progress: progress)
      let events =
        try contents.index ? writeEvents(result, contents, &page, progress: progress) : []
      if contents.verdicts { entries.append(try writeVerdicts(result, progress: progress)) }
      let (list, builds) = try writeBuilds(result, review)
      entries += [list] + events
      let silences = InputSilence.find(result.inputs, hasState: review != nil)
      if let page {
        var facts = PageFacts(
          result, settings: contents.settings?.listed ?? [], hasState: review != nil,
          silences: silences)
        facts.builds = builds
        entries.append(try writeWhole(ReportPage.name) { page.write(facts, to: &$0) })
      }
      let state = try review.map { review in
        SummaryJSON.State(
          mode: review.mode, figures: try review.stateFigures(), news: review.news,
          newAgain: review.newAgain)
      }
      var summary = try folder.create(SummaryJSON.name)
      try summary.write(
        SummaryJSON.tree(
          result, run: run(), contents: contents, silences: silences, builds: builds,
          state: state))
      entries.append(try summary.finish())
      _ = try writeWhole(Manifest.name) { Manifest.write(entries, to: &$0) }
      try beforePlacing()
      let forgotten = review?.forgottenBuilds ?? 0
      let notices = [
        (
          builds.unlisted, "further build",
          "not in \(BuildColumns.name), which lists \(BuildRow.limit)"
        ),
        (forgotten, "new build", "not in the state, which has \(BuildRow.limit)"),
      ].compactMap { count, noun, place in
        count > 0 ? "\(Plural.text(count, noun)): \(place)" : nil
      }
      return notices + (try folder.putInPlace())
    } catch {
      folder.remove()
      throw error
    }
  }

  private func writeRows(
    _ result: any AuditResult, _ contents: ReportContents, review: FindingReview?,
    _ page: inout ReportPage?, progress: AuditProgress
  ) throws -> [ManifestEntry] {
    var entries = try writeFindings(result, contents, review: review, &page, progress: progress)
    if review != nil { entries.append(try writeWithdrawn(result, contents, &page)) }
    let keys = KeysWriter(try folder.create(KeyColumns.name), page)
    // Whatever happens, nobody may still write.
    defer { keys.drain() }
    try result.forEachKey { key in
      try keys.add(key)
      progress.rowsDone.wrappingAdd(1, ordering: .relaxed)
    }
    let written = try keys.finish()
    entries.append(written.entry)
    page = written.page
    let sources = SourceNames(result)
    var rejects = try folder.create(RejectColumns.name)
    try result.forEachReject { reject in
      RejectColumns.all.write(
        json: ReportedReject(reject: reject, source: sources[reject.position.source]),
        to: &rejects.rows)
      try rejects.flushIfFull()
      progress.rowsDone.wrappingAdd(1, ordering: .relaxed)
    }
    entries.append(try rejects.finish())
    return entries
  }

  private func writeFindings(
    _ result: any AuditResult, _ contents: ReportContents, review: FindingReview?,
    _ page: inout ReportPage?, progress: AuditProgress
  ) throws -> [ManifestEntry] {
    let sources = SourceNames(result)
    func file(_ format: FindingFormat, _ name: String) throws(ReportError) -> FindingFile {
      FindingFile(
        FindingWriter(format, hasState: review != nil, day: contents.day), try folder.create(name))
    }
    let files = try contents.allFormats.map { format throws(ReportError) in
      try file(format, format.fileName)
    }
    let accepted =
      result.totals.accepted.isEmpty ? nil : try file(.csv, ReportFile.accepted)
    try result.forEachFinding { finding in
      let sighting = try review?.note(finding, sources: sources)
      let reported = ReportedFinding(finding, sighting, sources)
      if finding.isAccepted {
        page?.aside.add(accepted: reported)
        try accepted?.write(reported)
        return
      }
      page?.add(reported)
      for file in files { try file.write(reported) }
      progress.rowsDone.wrappingAdd(1, ordering: .relaxed)
    }
    return try (files + [accepted].compactMap(\.self)).map { try $0.finish() }
  }

  /// Writes the findings that this run withdraws, in the columns of ``FindingColumns``.
  private func writeWithdrawn(
    _ result: any AuditResult, _ contents: ReportContents, _ page: inout ReportPage?
  ) throws -> ManifestEntry {
    let sources = SourceNames(result)
    let file = FindingFile(
      FindingWriter(.csv, hasState: true, day: contents.day),
      try folder.create(ReportFile.withdrawn))
    try result.forEachWithdrawn { finding, sighting in
      let reported = ReportedFinding(finding, sighting, sources)
      page?.aside.add(withdrawn: reported)
      try file.write(reported)
    }
    return try file.finish()
  }

  /// Writes all events in order of key and time. The page receives those of the keys that it draws.
  private func writeEvents(
    _ result: any AuditResult, _ contents: ReportContents, _ page: inout ReportPage?,
    progress: AuditProgress
  ) throws -> [ManifestEntry] {
    var events = try EventsWriter.open(
      in: folder, sources: SourceNames(result),
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

  /// Writes the builds. Returns their totals, too.
  private func writeBuilds(
    _ result: any AuditResult, _ review: FindingReview?
  ) throws -> (ManifestEntry, BuildTotals) {
    let columns = review == nil ? BuildColumns.plain : BuildColumns.withState
    var file = try folder.create(BuildColumns.name)
    columns.writeHeader(to: &file.rows)
    let totals = try result.forEachBuild { row in
      let build = ReportedBuild(row, try review?.note(row.build))
      columns.write(csv: build, to: &file.rows)
      try file.flushIfFull()
    }
    return (try file.finish(), totals)
  }

  private func writeVerdicts(
    _ result: any AuditResult, progress: AuditProgress
  ) throws -> ManifestEntry {
    var rows = VerdictRows(sources: SourceNames(result))
    var file = try CompressedFile(folder.create(VerdictsCSV.name))
    EventColumns.all.writeHeader(to: &file.rows)
    try result.forEachVerdict { verdict in
      rows.write(verdict, to: &file.rows)
      try file.flushIfFull()
      progress.rowsDone.wrappingAdd(1, ordering: .relaxed)
    }
    return try file.finish()
  }

  /// Writes a small file that is formatted in memory.
  func writeWhole(
    _ name: String, _ body: (inout RowBuffer) -> Void
  ) throws(ReportError) -> ManifestEntry {
    var file = try folder.create(name)
    body(&file.rows)
    return try file.finish()
  }
}
