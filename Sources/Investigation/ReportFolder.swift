package import AppAttest
internal import AuditLog
package import AuditReport
package import AuditSettings
internal import Foundation
internal import OpenSSL

/// A finished report, read for an investigation. Nothing in it is believed that its manifest does not
/// confirm.
package struct ReportFolder: Sendable {
  package let path: String
  /// What the manifest says of files that are not as it has them, a line each.
  package let complaints: [String]
  /// `attest-audit 1.2.3`.
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
      let data = try mapped(folder + name)
      let isSame = unsafe data.withUnsafeBytes { bytes in
        var hash = SHA256Stream()
        unsafe hash.update(bytes)
        return hex(hash.digest()) == entry.sha256
      }
      if !isSame || UInt64(data.count) != entry.size {
        complaints.append("\(name) is not the file that manifest.json names")
      }
    }
    return complaints
  }

  private static func mapped(_ path: String) throws(CommandError) -> Data {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw CommandError(
        .usage, "--report: cannot read \(path)", hint: "--report names a folder that an audit wrote"
      )
    }
  }

  private func mapped(_ name: String) throws(CommandError) -> Data {
    try Self.mapped((path.hasSuffix("/") ? path : path + "/") + name)
  }

  /// Returns the findings of these fingerprints in their order; one that is not there is an error.
  package func findings(_ fingerprints: [String]) throws(CommandError) -> [ReportedFinding] {
    let data = try mapped("findings.jsonl")
    return try fingerprints.map { name throws(CommandError) in
      let row = try Self.row(of: name, in: data, path)
      do {
        return try JSONDecoder().decode(ReportedFinding.self, from: row)
      } catch {
        throw CommandError(
          .invalidFile, "\(path)/findings.jsonl: the row of \(name) cannot be read")
      }
    }
  }

  /// Returns the row of `findings.jsonl` with a fingerprint, byte for byte.
  func row(of fingerprint: String) throws(CommandError) -> [UInt8] {
    Array(try Self.row(of: fingerprint, in: mapped("findings.jsonl"), path))
  }

  /// Returns the bytes of a file of the report.
  func bytes(of name: String) throws(CommandError) -> [UInt8] {
    Array(try mapped(name))
  }

  private static func row(
    of fingerprint: String, in data: Data, _ path: String
  ) throws(CommandError) -> Data {
    let mark = Data("\"fingerprint\":\"\(fingerprint)\"".utf8)
    // Quotes of a log's text are escaped, so that none of it reads like this.
    guard let place = data.range(of: mark) else {
      throw CommandError(
        .usage, "\(path) has no finding with the fingerprint \(fingerprint)",
        hint: "findings.csv lists them in the column fingerprint; withdrawn and accepted ones "
          + "stand in files of their own")
    }
    let start = data[..<place.lowerBound].lastIndex(of: 0x0A).map { $0 + 1 } ?? data.startIndex
    let end = data[place.upperBound...].firstIndex(of: 0x0A) ?? data.endIndex
    return Data(data[start..<end])
  }

  /// Returns what `keys.csv` says of a key; nil where it has no row for it.
  package func key(_ keyID: Digest256) throws(CommandError) -> ReportedKey? {
    let data = try mapped("keys.csv")
    guard let place = data.range(of: Data("\n\(keyID.hex),".utf8)) else { return nil }
    var rows = CSVRows()
    for line in data[(place.lowerBound + 1)...].prefix(Self.rowLimit).split(separator: 0x0A) {
      let text = Array(line.last == 0x0D ? line.dropLast() : line)
      guard let row = try? rows.take(text) else { continue }
      guard row.count > 4 else { return nil }
      return ReportedKey(
        appID: row[1], environment: row[2], status: row[3], attestedAt: row[4])
    }
    return nil
  }

  /// The longest row that is looked at, in bytes.
  private static let rowLimit = 1 << 20

  private static func hex(_ bytes: [UInt8]) -> String {
    String(decoding: Hex.encode(bytes.span), as: UTF8.self)
  }
}

/// What a report's `keys.csv` says of a key.
package struct ReportedKey: Sendable {
  package let appID: String
  package let environment: String
  package let status: String
  package let attestedAt: String
}
