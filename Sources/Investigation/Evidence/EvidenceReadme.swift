internal import AppAttest
internal import AuditReport
internal import Basics
internal import Compression

/// The README of evidence, from the blocks of `readme.md`: the files, and commands that verify them.
enum EvidenceReadme {
  private static let blocks: [Substring: Substring] = {
    let page = String(decoding: PackageResources.readme_md, as: UTF8.self)
    let parts = page.split(separator: "=== ").map { $0.split(separator: "\n", maxSplits: 1) }
    return Dictionary(uniqueKeysWithValues: parts.map { ($0[0], $0[1]) })
  }()

  /// Returns a block with values in place of the names in braces.
  static func block(_ name: Substring, _ values: [Substring: String]) -> String {
    let pieces = (blocks[name] ?? "").split(separator: "{", omittingEmptySubsequences: false)
    return pieces.dropFirst().reduce(String(pieces[0])) { text, piece in
      let parts = piece.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      return text + (values[parts[0]] ?? "") + parts[1]
    }
  }

  /// Returns the beginning. `sentences` tell of each finding in plain words, `gaps` of each line that was not found.
  static func head(_ report: StoredReport, _ sentences: [String], gaps: [String]) -> String {
    let made =
      "Made by \(Tool.name) \(Tool.version) from the report "
      + "\(PrintableText.line(report.path, limit: 500)) (\(report.summary.tool), run "
      + "\(report.summary.run))."
    let head = block(
      "head",
      [
        "made": prose(made), "sentences": sentences.map { prose($0) }.joined(separator: "\n\n"),
      ])
    return head + (gaps.isEmpty ? "" : block("gaps", ["gaps": gaps.joined(separator: "\n")]))
  }

  /// Returns the item of a line that was not found, or nil if it was.
  static func gap(_ evidence: Explanation.Evidence, in folder: String) -> String? {
    evidence.gap.map { gap in
      let line = evidence.line > 0 ? "line \(evidence.line) of " : ""
      return prose(
        "- `\(folder)`: \(line)\(PrintableText.line(evidence.source, limit: 500)), "
          + "SHA-256 `\(evidence.reportedSHA256 ?? "unknown")`: \(gap).", hang: 2)
    }
  }

  private static func prose(_ text: String, hang: Int = 0) -> String {
    TextWrap.lines(text, hang: hang).joined(separator: "\n")
  }

  static func line(
    _ line: FoundLine, of evidence: Explanation.Evidence, in folder: String
  ) -> String {
    let text = block("line", ["folder": folder, "line": line.sha256.hex])
    guard let path = evidence.path else { return text }
    let unpack = ContentDigests.format(path).command
    let reported = evidence.reportedSHA256
    var log = block(reported == nil ? "other night" : "log", ["file": evidence.sha256 ?? "unknown"])
    if let reported, evidence.state == .same, reported != evidence.sha256, let unpack {
      log += block("content", ["unpack": unpack, "content": reported])
    }
    let skip = line.byteOffset - line.frameContentOffset
    let tail = "head -c \(line.bytes.count) | sha256sum"
    let from = line.frameOffset.map { "tail -c +\($0 + 1) LOG | \(unpack ?? "")" }
    let command =
      unpack.map { "\(from ?? "\($0) LOG") 2>/dev/null | tail -c +\(skip + 1) | \(tail)" }
      ?? "tail -c +\(line.byteOffset + 1) LOG | \(tail)"
    return text + log
      + block(
        "position",
        ["offset": "\(line.byteOffset)", "command": command, "line": line.sha256.hex])
  }
}
