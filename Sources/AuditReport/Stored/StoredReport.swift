internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// A stored report, read again without the logs.
package struct StoredReport {
  /// The folder as the user named it.
  package let path: String
  /// The permissions of its files.
  package let mode: UInt32
  /// The entries of `manifest.json`, one for each file.
  let entries: [ManifestEntry]
  let summary: StoredSummary
  private let sources = StoredSources()

  /// The length of the longest `manifest.json` and `summary.json` that are accepted, in bytes.
  private static let documentLimit = 1 << 30
  /// The length of the longest row of CSV that is accepted, in bytes. Texts of a log are as long as
  /// its lines.
  private static let rowLimit = 256 << 20

  /// Reads the manifest and the summary. The rows are read when they are asked for.
  ///
  /// - Throws: `.invalid` if it is no whole report of this program, `.cannotWrite` if it cannot be
  ///   read.
  package init(path: String) throws(ReportError) {
    self.path = path
    entries = try Self.manifest(path)
    let file = try StoredFile(folder: path, name: SummaryJSON.name)
    mode = file.mode
    guard let summary = StoredSummary(try file.whole(limit: Self.documentLimit)) else {
      throw ReportError(.invalid, "\(path)/\(SummaryJSON.name) is no summary of \(Tool.name)")
    }
    self.summary = summary
  }

  private static func manifest(_ path: String) throws(ReportError) -> [ManifestEntry] {
    let text = try StoredFile(folder: path, name: Manifest.name).whole(limit: documentLimit)
    let invalid = ReportError(.invalid, "\(path)/\(Manifest.name) is no manifest of \(Tool.name)")
    guard let manifest = StoredValue(text[...], JSONDocument()) else { throw invalid }
    var entries: [ManifestEntry] = []
    for file in manifest["files"]?.elements ?? [] {
      guard let name = file["name"]?.string, let size = file["size"]?.number(UInt64.self),
        let digest = file["sha256"]?.hexBytes.flatMap({ Digest256($0) })
      else { throw invalid }
      // A name leads nowhere but into the folder.
      guard ReportFile.allNames.contains(name), name != Manifest.name else {
        throw ReportError(
          .invalid,
          "\(path)/\(Manifest.name) names a file that no report has: "
            + PrintableText.line(name, limit: 80))
      }
      guard !entries.contains(where: { $0.name == name }) else { throw invalid }
      entries.append(ManifestEntry(name: name, size: size, sha256: digest))
    }
    for name in [FindingsJSONLines.name, KeysCSV.name, SummaryJSON.name]
    where !entries.contains(where: { $0.name == name }) {
      throw ReportError(.invalid, "\(path)/\(Manifest.name) names no \(name)")
    }
    return entries
  }

  /// How far apart events could be logged in the wrong order, in milliseconds.
  var reorderTolerance: Int64 {
    (summary.settings?.detection ?? DetectionPolicy()).reorderTolerance
  }

  /// Returns whether the report has a file.
  func has(_ name: String) -> Bool { entries.contains { $0.name == name } }

  /// The names of the sources of findings read so far.
  package var sourceNames: [String] { sources.names }
  var sourceTable: SourceNames { sources.table }

  /// Calls `body` with each finding and its unchanged line, in the order of the report.
  package func forEachFinding(
    _ body: (StoredFinding, ArraySlice<UInt8>) throws -> Void
  ) throws {
    var file = try StoredFile(folder: path, name: FindingsJSONLines.name)
    let document = JSONDocument()
    while let line = try file.nextLine() {
      var fault = ""
      guard let value = StoredValue(line, document) else {
        throw ReportError(.invalid, "\(file.path): line \(file.lineNumber) is no JSON object")
      }
      guard let finding = StoredFinding(value, sources: sources, fault: &fault) else {
        throw ReportError(
          .invalid, "\(file.path): line \(file.lineNumber): '\(fault)' is none of a finding")
      }
      try body(finding, line)
    }
  }

  /// Calls `body` with each key, in the order of the report.
  func forEachKey(_ body: (KeyRow) throws -> Void) throws {
    var isHeader = true
    try forEachRow(of: KeysCSV.name) { fields, place in
      defer { isHeader = false }
      if isHeader, fields.joined(separator: ",") == KeysHeader.text { return }
      guard let row = KeyRow(stored: fields) else {
        throw ReportError(.invalid, "\(place) is no row of keys")
      }
      try body(row)
    }
  }

  /// Calls `body` with each finding of `accepted.csv` or `withdrawn.csv`, in the order of the file.
  /// It does not call it if the report has no such file.
  func forEachFinding(aside name: String, _ body: (StoredFinding) throws -> Void) throws {
    guard has(name) else { return }
    var isHeader = true
    try forEachRow(of: name) { fields, place in
      defer { isHeader = false }
      if isHeader, fields.first == "severity" { return }
      guard let finding = StoredFinding(fields: fields, sources: sources) else {
        throw ReportError(.invalid, "\(place) is no row of findings")
      }
      try body(finding)
    }
  }

  /// Calls `body` with the fields of each row of a CSV file, including the header, and the row's
  /// place in words.
  func forEachRow(of name: String, _ body: ([String], String) throws -> Void) throws {
    var file = try StoredFile(folder: path, name: name)
    var rows = CSVRows(limit: Self.rowLimit)
    while let line = try file.nextLine() {
      let place = "\(file.path): line \(file.lineNumber)"
      let fields: [String]?
      do throws(CSVRows.Problem) { fields = try rows.take(Array(line)) } catch {
        throw ReportError(.invalid, "\(place) is no CSV")
      }
      if let fields { try body(fields, place) }
    }
  }
}
