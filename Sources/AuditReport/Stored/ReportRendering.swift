internal import AuditEngine

/// Reports that are rendered again from their files, of which the copied ones are checked first.
extension ReportDirectory {
  /// Writes the report, with these formats beside those that it has. Returns notices about steps that failed after that.
  package func write(_ report: StoredReport, formats: [FindingFormat]) throws -> [String] {
    let wanted = FindingFormat.allCases.filter { format in
      format == .csv
        || !format.isInEveryReport && (formats.contains(format) || report.has(format.fileName))
    }
    return try place { (try render(report, wanted), []) }
  }

  private func render(
    _ report: StoredReport, _ formats: [FindingFormat]
  ) throws -> [ManifestEntry] {
    var entries: [ManifestEntry] = []
    for entry in report.entries where !ReportFile.isRendered(entry.name) {
      entries.append(try copy(entry, of: report))
    }
    let summary = report.summary
    var page = ReportPage(fixed: summary.settings?.fixedCodes ?? [])
    let files = try findingFiles(formats, hasState: summary.hasState, day: summary.day)
    try report.forEachFinding { finding, _ in
      page.add(finding)
      for file in files { try file.write(finding) }
    }
    for file in files { entries.append(try file.finish()) }
    try report.forEachFinding(aside: ReportFile.accepted) { page.aside.accepted.add($0) }
    try report.forEachFinding(aside: ReportFile.withdrawn) { page.aside.withdrawn.add($0) }
    try report.forEachKey { page.add($0) }
    if report.has(EventsIndex.name) { page.history = try history(of: page.keys.worst, report) }
    return entries + [try writeWhole(ReportPage.name) { page.write(summary, to: &$0) }]
  }

  private func history(of keys: [PageKeys.Entry], _ report: StoredReport) throws -> PageHistory {
    var query = TimelineQuery()
    query.keys = keys.map(\.keyID)
    var history = PageHistory(query.keys, reorderTolerance: report.reorderTolerance)
    guard !query.keys.isEmpty else { return history }
    try EventsReader(report).forEachEvent(query) { history.add($0) }
    return history
  }

  /// Copies a file unchanged. Throws if it does not match the manifest.
  private func copy(
    _ entry: ManifestEntry, of report: StoredReport
  ) throws(AuditError) -> ManifestEntry {
    let source = try StoredFile(folder: report.path, name: entry.name)
    var file = try create(entry.name)
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
