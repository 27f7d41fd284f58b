internal import AppAttest
internal import AuditEngine

/// A report that is rendered again from `findings.jsonl`, `keys.csv` and `summary.json`. Files that
/// are copied are checked against the manifest, so that nothing changed gets a new checksum.
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

  /// Writes the report into `directory`, all but its manifest.
  fileprivate func write(to directory: ReportDirectory) throws -> [ManifestEntry] {
    var entries: [ManifestEntry] = []
    for entry in report.entries where !ReportFile.isRendered(entry.name) {
      entries.append(try copy(entry, to: directory.folder))
    }
    let summary = report.summary
    var page = ReportPage(fixed: summary.settings?.fixedCodes ?? [])
    let files = try directory.findingFiles(
      formats, hasState: summary.hasState, day: summary.day)
    try report.forEachFinding { finding, _ in
      page.add(finding)
      for file in files { try file.write(finding) }
    }
    for file in files { entries.append(try file.finish()) }
    try report.forEachFinding(aside: ReportFile.accepted) { page.aside.accepted.add($0) }
    try report.forEachFinding(aside: ReportFile.withdrawn) { page.aside.withdrawn.add($0) }
    try report.forEachKey { page.add($0) }
    if report.has(EventsIndex.name) { page.history = try history(of: page.keys.worst) }
    let facts = PageFacts(
      inputs: summary.inputs, totals: summary.totals, settings: summary.settings?.listed ?? [],
      hasState: summary.hasState, silences: summary.silences, likelyCauses: summary.likelyCauses,
      blindSpots: summary.blindSpots, builds: summary.builds, toolVersion: summary.toolVersion,
      night: summary.hasState ? summary.day : nil)
    return entries
      + [try directory.writeWhole(ReportPage.name) { page.write(facts, to: &$0) }]
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
  ) throws(AuditError) -> ManifestEntry {
    let source = try StoredFile(folder: report.path, name: entry.name)
    var file = try folder.create(entry.name)
    while true {
      let bytes = try source.next()
      if bytes.isEmpty { break }
      try file.write(bytes.span)
    }
    let copied = try file.finish()
    guard copied == entry else {
      throw AuditError(
        .invalid,
        "\(source.path) is not what \(Manifest.name) says: it was changed, or is damaged")
    }
    return copied
  }
}

extension ReportDirectory {
  /// Writes a report rendered again. Returns notices about steps that failed after that.
  package func write(_ rendering: ReportRendering) throws -> [String] {
    try place { (try rendering.write(to: self), []) }
  }
}
