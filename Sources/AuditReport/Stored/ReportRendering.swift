internal import AppAttest
internal import AuditEngine

/// A report that is rendered again from its own files: `findings.jsonl`, `keys.csv` and
/// `summary.json`.
///
/// Those files and all others that are not rendered are copied, and checked against the manifest on
/// the way, so that nothing that was changed since the audit gets a new checksum.
package struct ReportRendering {
  private let report: StoredReport
  private let formats: [FindingFormat]

  /// Makes the rendering. `formats` are wanted beside those that the report has.
  package init(_ report: StoredReport, formats: [FindingFormat]) {
    self.report = report
    self.formats = FindingFormat.allCases.filter { format in
      format == .csv || formats.contains(format) && !format.isInEveryReport
        || !format.isInEveryReport && report.has(format.fileName)
    }
  }

  /// Writes the report into `folder`, all but its manifest.
  func write(to folder: PartialFolder) throws -> [ManifestEntry] {
    var entries: [ManifestEntry] = []
    for entry in report.entries where !ReportFile.isRendered(entry.name) {
      entries.append(try copy(entry, to: folder))
    }
    var page = ReportPage()
    let files = try formats.map { format throws(ReportError) in
      FindingFile(
        FindingWriter(format, hasState: report.summary.hasState, day: report.summary.day),
        try folder.create(format.fileName))
    }
    try report.forEachFinding { finding, _ in
      page.add(finding)
      for file in files { try file.write(finding) }
    }
    for file in files { entries.append(try file.finish()) }
    try report.forEachFinding(aside: ReportFile.accepted) { page.aside.add(accepted: $0) }
    try report.forEachFinding(aside: ReportFile.withdrawn) { page.aside.add(withdrawn: $0) }
    try report.forEachKey { page.add($0) }
    if report.has(EventsIndex.name) { page.history = try history(of: page.keys.worst) }
    var facts = PageFacts(
      inputs: report.summary.inputs, totals: report.summary.totals,
      settings: report.summary.settings?.listed ?? [], hasState: report.summary.hasState,
      silences: report.summary.silences)
    facts.toolVersion = report.summary.toolVersion
    facts.likelyCauses = report.summary.likelyCauses
    facts.blindSpots = report.summary.blindSpots
    facts.builds = report.summary.builds
    var file = try folder.create(ReportPage.name)
    page.write(facts, to: &file.rows)
    entries.append(try file.finish())
    return entries
  }

  /// Returns the requests of the keys that the page draws, from the index.
  private func history(of keys: [PageKeys.Entry]) throws -> PageHistory {
    var query = TimelineQuery()
    query.keys = keys.map(\.keyID)
    var history = PageHistory(query.keys, reorderTolerance: report.reorderTolerance)
    guard !query.keys.isEmpty else { return history }
    try EventsReader(report).forEachEvent(query) { history.add($0) }
    return history
  }

  /// Copies a file unchanged. Throws if it does not match the manifest.
  private func copy(
    _ entry: ManifestEntry, to folder: PartialFolder
  ) throws(ReportError) -> ManifestEntry {
    var source = try StoredFile(folder: report.path, name: entry.name)
    var file = try folder.create(entry.name)
    while true {
      let bytes = try source.next()
      if bytes.isEmpty { break }
      try file.write(bytes.span)
    }
    let copied = try file.finish()
    guard copied == entry else {
      throw ReportError(
        .invalid,
        "\(source.path) is not what \(Manifest.name) says: it was changed, or is damaged")
    }
    return copied
  }
}

extension ReportDirectory {
  /// Writes a report rendered again, and puts it in place. Returns notices about steps that failed
  /// although the report is in place, one line each.
  package func write(_ rendering: ReportRendering) throws -> [String] {
    do {
      let entries = try rendering.write(to: folder)
      var manifest = try folder.create(Manifest.name)
      Manifest.write(entries, to: &manifest.rows)
      _ = try manifest.finish()
      return try folder.putInPlace()
    } catch {
      folder.remove()
      throw error
    }
  }
}
