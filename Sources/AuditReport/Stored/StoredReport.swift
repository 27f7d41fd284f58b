internal import AppAttest
package import AuditEngine
internal import AuditLog
internal import OpenSSL

/// A stored report, read again without the logs.
package struct StoredReport {
  package let path: String
  package let mode: UInt32
  let entries: [ManifestEntry]
  package let summary: RunSummary
  private let sources = StoredSources()

  /// The length of the longest `manifest.json` and `summary.json` that are accepted, in bytes.
  private static let documentLimit = 1 << 30
  private static let rowLimit = 256 << 20

  /// Reads the manifest and the summary. Throws `.invalid` if it is no whole report of this program.
  package init(path: String) throws(AuditError) {
    self.path = path
    entries = try Self.manifest(path)
    let file = try StoredFile(folder: path, name: SummaryJSON.name)
    mode = file.mode
    guard let summary = RunSummary(try file.whole(limit: Self.documentLimit)) else {
      throw AuditError(.invalid, "\(path)/\(SummaryJSON.name) is not a summary of \(Tool.name)")
    }
    self.summary = summary
  }

  private static func manifest(_ path: String) throws(AuditError) -> [ManifestEntry] {
    let text = try StoredFile(folder: path, name: Manifest.name).whole(limit: documentLimit)
    let invalid = AuditError(.invalid, "\(path)/\(Manifest.name) is not a manifest of \(Tool.name)")
    guard let manifest = StoredValue(text[...], JSONDocument()) else { throw invalid }
    var entries: [ManifestEntry] = []
    for file in manifest["files"]?.elements ?? [] {
      var entry = ManifestEntry()
      guard Manifest.columns.read(file, into: &entry) == nil else { throw invalid }
      let name = entry.name
      // A name leads nowhere but into the folder.
      guard ReportFile.allNames.contains(name), name != Manifest.name else {
        throw AuditError(
          .invalid,
          "\(path)/\(Manifest.name) names a file that no report has: "
            + PrintableText.line(name, limit: 80))
      }
      guard !entries.contains(where: { $0.name == name }) else { throw invalid }
      entries.append(entry)
    }
    for name in ReportFile.sources
    where !entries.contains(where: { $0.name == name }) {
      throw AuditError(.invalid, "\(path)/\(Manifest.name) names no \(name)")
    }
    return entries
  }

  var reorderTolerance: Int64 {
    summary.settings?.reorderTolerance ?? DetectionPolicy().reorderTolerance
  }

  func has(_ name: String) -> Bool { entries.contains { $0.name == name } }

  /// Calls `body` with each finding and its unchanged line, in the order of the report.
  package func forEachFinding(_ body: (ReportedFinding, ArraySlice<UInt8>) throws -> Void) throws {
    var file = try StoredFile(folder: path, name: FindingFormat.jsonl.fileName)
    let document = JSONDocument()
    while let line = try file.nextLine() {
      try body(try finding(line, document, "\(file.path): line \(file.lineNumber)"), line)
    }
  }

  private func finding(
    _ line: ArraySlice<UInt8>, _ document: JSONDocument, _ place: String
  ) throws(AuditError) -> ReportedFinding {
    guard let value = StoredValue(line, document) else {
      throw AuditError(.invalid, "\(place) is not a JSON object")
    }
    var finding = ReportedFinding()
    if let fault = FindingColumns.withState.read(value, into: &finding) {
      throw AuditError(.invalid, "\(place): '\(fault)' is not that of a finding")
    }
    number(&finding)
    finding.sighting?.isNewAgain = summary.newAgain.contains(finding.finding.fingerprint)
    return finding
  }

  /// Gives the inputs of a finding the numbers by which its positions name them.
  private func number(_ finding: inout ReportedFinding) {
    finding.finding.position.source = sources.number(finding.source)
    if finding.finding.related != nil {
      finding.finding.related?.source = sources.number(finding.relatedSource)
    }
  }

  func forEachKey(_ body: (KeyRow) throws -> Void) throws {
    try forEachRow(of: KeyColumns.name, KeyColumns.all, .empty, body)
  }

  /// Calls `body` with each finding of `accepted.csv` or `withdrawn.csv`, if there is that file.
  func forEachFinding(aside name: String, _ body: (ReportedFinding) throws -> Void) throws {
    guard has(name) else { return }
    try forEachRow(of: name, FindingColumns.withState, ReportedFinding()) { finding in
      var finding = finding
      number(&finding)
      try body(finding)
    }
  }

  /// Calls `body` with each row of a CSV file that begins with a text, read into a copy of `empty`.
  func forEachRow<Row>(
    of name: String, _ columns: Columns<Row>, _ empty: Row, beginning start: String = "",
    _ body: (Row) throws -> Void
  ) throws {
    var places: [Int?]?
    var file = try StoredFile(folder: path, name: name)
    var rows = CSVRows(limit: Self.rowLimit)
    while let line = try file.nextLine() {
      if places != nil, !rows.isInsideField, !line.starts(with: start.utf8) { continue }
      let place = "\(file.path): line \(file.lineNumber)"
      let fields: [String]?
      do throws(CSVRows.Problem) { fields = try rows.take(Array(line)) } catch {
        throw AuditError(.invalid, "\(place) is not CSV")
      }
      guard let fields else { continue }
      guard let known = places else {
        places = columns.places(of: fields)
        guard places != nil else {
          throw AuditError(.invalid, "\(place) is not the header of \(name)")
        }
        continue
      }
      var row = empty
      guard columns.read(fields, known, into: &row) else {
        throw AuditError(.invalid, "\(place) is not a row of \(name)")
      }
      try body(row)
    }
  }
}

// MARK: Looking up

extension StoredReport {
  package struct FoundFinding {
    package let finding: ReportedFinding
    package let line: [UInt8]
  }

  /// Returns the findings whose fingerprint begins with these hex digits, each once.
  package func findings(fingerprint digits: String) throws(AuditError) -> [FoundFinding] {
    // Quotes of a log's text are escaped, so that none of it reads like this.
    let found = try findings(holding: "\"fingerprint\":\"\(digits)") { _ in true }
    var seen = Set<UInt64>()
    return found.filter { seen.insert($0.finding.finding.fingerprint).inserted }
  }

  /// Returns the findings about a line of an input, named whole or from a slash on.
  package func findings(at source: String, line: UInt64) throws(AuditError) -> [FoundFinding] {
    try findings(holding: ",\"line\":\(line),\"related_source\":") { finding in
      finding.finding.position.line == line
        && (finding.source == source || finding.source.hasSuffix("/" + source))
    }
  }

  private func findings(
    holding mark: String, _ isWanted: (ReportedFinding) -> Bool
  ) throws(AuditError) -> [FoundFinding] {
    let (document, mark) = (JSONDocument(), Array(mark.utf8))
    var file = try StoredFile(folder: path, name: FindingFormat.jsonl.fileName)
    var found: [FoundFinding] = []
    while found.count < Self.mostFound, let line = try file.nextLine() {
      guard line.holds(mark) else { continue }
      let finding = try finding(line, document, "\(file.path): line \(file.lineNumber)")
      if isWanted(finding) { found.append(FoundFinding(finding: finding, line: Array(line))) }
    }
    return found
  }

  /// Returns the keys whose identifier begins with these hex digits.
  package func keys(hex digits: String) throws -> [KeyRow] {
    var found: [KeyRow] = []
    try forEachRow(of: KeyColumns.name, KeyColumns.all, .empty, beginning: digits) {
      found.append($0)
    }
    return found
  }

  private static let mostFound = 1000

  /// Returns a line for each file of an investigation that does not match the manifest.
  package func complaints() throws(AuditError) -> [String] {
    var complaints: [String] = []
    for entry in entries where ReportFile.sources.contains(entry.name) {
      let file = try StoredFile(folder: path, name: entry.name)
      var hash = SHA256Stream()
      var size: UInt64 = 0
      while case let bytes = try file.next(), !bytes.isEmpty {
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        size += UInt64(bytes.count)
      }
      if size != entry.size || Digest256(hash.digest()) != entry.sha256 {
        complaints.append("\(entry.name) is not the file that \(Manifest.name) names")
      }
    }
    return complaints
  }

  package func bytes(of name: String) throws(AuditError) -> [UInt8] {
    try StoredFile(folder: path, name: name).whole(limit: Self.documentLimit)
  }
}
