package import AppAttest
internal import AuditLog
package import AuditReport
package import AuditSettings
internal import Basics
internal import Files
internal import Foundation
internal import OpenSSL

/// A finished report, read for an investigation. Only files that its manifest confirms are trusted.
package struct ReportFolder: Sendable {
  package let path: String
  /// The complaints about files that do not match the manifest, a line each.
  package let complaints: [String]
  /// The name and version of the program, such as `attest-audit 1.2.3`.
  package let tool: String
  package let run: String
  package let startedAt: String
  package let settings: RecordedSettings
  package let inputs: [ReportedInput]

  private struct Manifest: Decodable {
    struct File: Decodable {
      let name: String
      let size: UInt64
      let sha256: String
    }
    let files: [File]
  }

  /// The largest summary or manifest, in bytes.
  private static let sizeLimit = 1 << 30

  /// Opens a report of a version that keeps the settings of its run.
  package init(path: String) throws(CommandError) {
    self.path = path
    let folder = path.hasSuffix("/") ? path : path + "/"
    func bytes(_ name: String) throws(CommandError) -> [UInt8] {
      try NamedPath(path: folder + name, origin: "--report").read(
        limit: Self.sizeLimit, status: .usage)
    }
    let summary: ReportedSummary
    let manifest: Manifest
    let text = try bytes("summary.json")
    do {
      summary = try JSONDecoder().decode(ReportedSummary.self, from: Data(text))
      manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes("manifest.json")))
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(
        .invalidFile, "\(path): summary.json or manifest.json is not that of a report",
        hint: "--report names a folder that an audit wrote")
    }
    guard let settings = summary.run.settings else {
      throw CommandError(
        .invalidFile, "\(path): the report keeps no settings of its run",
        hint: "run the audit again with this version, into another folder")
    }
    self.settings = settings
    tool = "\(summary.tool.name) \(summary.tool.version)"
    run = summary.run.id
    startedAt = summary.run.startedAt
    inputs = summary.inputs
    complaints = try Self.check(manifest, in: folder)
  }

  /// Compares the files that an investigation reads with the manifest.
  private static func check(
    _ manifest: Manifest, in folder: String
  ) throws(CommandError) -> [String] {
    var complaints: [String] = []
    for name in ["findings.jsonl", "keys.csv", "summary.json"] {
      guard let entry = manifest.files.first(where: { $0.name == name }) else {
        complaints.append("manifest.json does not name \(name)")
        continue
      }
      let (digest, size) = try Self.digest(of: folder + name)
      if digest != entry.sha256 || size != entry.size {
        complaints.append("\(name) is not the file that manifest.json names")
      }
    }
    return complaints
  }

  private static func digest(of path: String) throws(CommandError) -> (sha256: String, size: UInt64)
  {
    var hash = SHA256Stream()
    var size: UInt64 = 0
    try told(path) { () throws(FileError) in
      let file = try OpenFile(reading: path)
      while case let piece = try file.readNext(limit: 1 << 20), !piece.isEmpty {
        unsafe piece.withUnsafeBytes { unsafe hash.update($0) }
        size += UInt64(piece.count)
      }
    }
    return (Hex.text(hash.digest()), size)
  }

  /// Calls `body`, which reads the file at a path, and turns its error into a ``CommandError``.
  private static func told<Value>(
    _ path: String, _ body: () throws(FileError) -> Value
  ) throws(CommandError) -> Value {
    do throws(FileError) { return try body() } catch {
      throw CommandError(
        .usage, "--report: cannot read \(path)", hint: "--report names a folder that an audit wrote"
      )
    }
  }

  /// Returns the first line of a file of the report that holds `mark`, or nil if none does.
  private func line(
    of name: String, holding mark: String
  ) throws(CommandError) -> [UInt8]? {
    let path = PathText.join(path, name)
    return try Self.told(path) { () throws(FileError) in
      var search = try LineSearch(path: path)
      return try search.line(holding: Array(mark.utf8))
    }
  }

  /// Returns the findings of these fingerprints in their order. Throws if one of them is not in the
  /// report.
  package func findings(_ fingerprints: [String]) throws(CommandError) -> [ReportedFinding] {
    try fingerprints.map { name throws(CommandError) in
      let row = try row(of: name)
      do {
        return try JSONDecoder().decode(ReportedFinding.self, from: Data(row))
      } catch {
        throw CommandError(
          .invalidFile, "\(path)/findings.jsonl: the row of \(name) cannot be read")
      }
    }
  }

  /// Returns the row of `findings.jsonl` with a fingerprint, byte for byte.
  func row(of fingerprint: String) throws(CommandError) -> [UInt8] {
    // Quotes of a log's text are escaped, so that none of it reads like this.
    guard
      let row = try line(of: "findings.jsonl", holding: "\"fingerprint\":\"\(fingerprint)\"")
    else {
      throw CommandError(
        .usage, "\(path) has no finding with the fingerprint \(fingerprint)",
        hint: "findings.csv lists them in the column fingerprint; withdrawn and accepted ones "
          + "stand in files of their own")
    }
    return row
  }

  /// Returns the bytes of a file of the report.
  func bytes(of name: String) throws(CommandError) -> [UInt8] {
    try NamedPath(path: PathText.join(path, name), origin: "--report").read(
      limit: Self.sizeLimit, status: .usage)
  }

  /// Returns the row of a key in `keys.csv`, or nil if there is none.
  package func key(_ keyID: Digest256) throws(CommandError) -> ReportedKey? {
    guard let line = try line(of: "keys.csv", holding: "\n\(keyID.hex),") else { return nil }
    var rows = CSVRows()
    guard let row = try? rows.take(line), row.count > 4 else { return nil }
    return ReportedKey(appID: row[1], environment: row[2], status: row[3], attestedAt: row[4])
  }
}

/// The facts of a key in a report's `keys.csv`.
package struct ReportedKey: Sendable {
  package let appID: String
  package let environment: String
  package let status: String
  package let attestedAt: String
}
