import AuditEngine
import Foundation
import TestSupport
import Testing

/// `explain FINGERPRINT`, by the built program.
struct EndExplainTests {
  private let forged: ForgedReport

  init() throws {
    forged = try ForgedReport.shared.get()
  }

  private func explain(_ fingerprint: String, _ flags: String...) throws -> Program.Outcome {
    try forged.run(["explain", fingerprint, "--report", forged.report] + flags)
  }

  @Test func `a finding of every code is found again, from any folder`() throws {
    #expect(forged.firsts.count >= 48)
    let outcome = try forged.run(
      ["explain"] + forged.firsts.map(\.fingerprint) + ["--report", forged.report])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors == "")
    let parts = outcome.output.components(separatedBy: "\n\njudged again\n").dropFirst()
    #expect(parts.count == forged.firsts.count)
    for (finding, part) in zip(forged.firsts, parts) {
      #expect(!part.contains("found again   no"), "\(finding.code)")
    }
    for line in outcome.output.split(separator: "\n") {
      #expect(line.unicodeScalars.count <= 80, "\(line)")
    }
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test func `a finding of every code is found again behind a damaged frame`() throws {
    var codes: Set<String> = []
    for damaged in try [ForgedReport.damaged.get(), ForgedReport.damagedDevices.get()] {
      let broken = Set(damaged.findings.filter { $0.code.hasPrefix("stream.") }.map(\.source))
      #expect(damaged.firsts.allSatisfy { broken.contains($0.source) })
      let outcome = try damaged.run(
        ["explain"] + damaged.firsts.map(\.fingerprint) + ["--report", damaged.report])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let parts = outcome.output.components(separatedBy: "\n\njudged again\n").dropFirst()
      #expect(parts.count == damaged.firsts.count)
      for (finding, part) in zip(damaged.firsts, parts) {
        #expect(!part.contains("found again   no"), "\(finding.code)")
      }
      codes.formUnion(damaged.firsts.map(\.code))
    }
    // No line is behind `stream.missing`, and no damage in front of it.
    let all = Set(FindingCode.allCases.map(\.name)).subtracting([FindingCode.streamMissing.name])
    #expect(codes == all)
  }

  @Test func `a line behind damage is found where the audit read it`() throws {
    // Files that attacks damage are named z; what stands behind the damage is read on.
    let cut = try #require(
      forged.findings.first { $0.source.contains("edge-z") && $0.code == "record.malformed_json" })
    let outcome = try explain(cut.fingerprint)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("Damage in the stream cuts the line."))
    #expect(outcome.output.contains("read on behind them"))
  }

  /// A text without its line breaks.
  private static func flat(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func `both records stand side by side, and one sentence ends it`() throws {
    let outcome = try explain(try forged.first("replay.cross_key").fingerprint)
    #expect(outcome.output.contains("\n  = clientDataHash"))
    #expect(outcome.output.contains("\n  ≠ key "))
    #expect(outcome.output.contains("\nearlier line\n"))
    let end = Self.flat(outcome.output)
    #expect(end.contains("of which the audit says \"one challenge, two keys\", and the very same"))
    #expect(end.hasSuffix("when it is checked again."))
  }

  @Test func `inputs that moved are named, and found in their new place`() throws {
    let moved = try ForgedReport(["--keys", "2", "--assertions", "20", "--files", "1"])
    let finding = try moved.first("replay.assertion").fingerprint
    let from = moved.path + "/day/logs"
    try FileManager.default.createDirectory(
      atPath: moved.path + "/archive", withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: from, toPath: moved.path + "/archive/logs")
    let lost = try moved.run("explain", finding, "--report", moved.report)
    #expect(lost.status == 1)
    #expect(lost.output.contains("NOT THERE"))
    #expect(lost.output.contains("--logs DIR"))
    #expect(Self.flat(lost.output).contains("could not be shown again from the logs"))
    let found = try moved.run(
      "explain", finding, "--report", moved.report, "--logs", moved.path + "/archive")
    #expect(found.status == 0, "\(found.output)")
    // A file that has grown is read; one that has changed is not the report's input.
    let target = try #require(moved.findings.first { $0.fingerprint == finding })
    let name = try #require(target.source.split(separator: "/").last)
    let path = moved.path + "/archive/logs/\(name)"
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes.append(contentsOf: bytes.suffix(1) == Data([10]) ? [10] : [0, 0])
    try bytes.write(to: URL(filePath: path))
    let grown = try moved.run(
      "explain", finding, "--report", moved.report, "--logs", moved.path + "/archive")
    #expect(grown.output.contains("its beginning is the same"), "\(grown.output)")
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: path))
    let changed = try moved.run(
      "explain", finding, "--report", moved.report, "--logs", moved.path + "/archive")
    #expect(changed.output.contains("CHANGED since the report"))
    #expect(Self.flat(changed.output).contains("its SHA-256 is another one"))
    #expect(changed.status == 1 && !changed.output.contains("check by check"))
    // A link at its path is not followed, unless it is asked for.
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: moved.path + "/archive/elsewhere")
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: moved.path + "/archive/elsewhere"))
    for (flags, status) in [([], 1), (["--follow"], 0)] as [([String], Int32)] {
      let outcome = try moved.run(
        ["explain", finding, "--report", moved.report, "--logs", moved.path + "/archive"] + flags)
      #expect(outcome.status == status, "\(outcome.output)")
    }
  }

  @Test func `a list of keys that became a FIFO is not waited for`() throws {
    let forged = try ForgedReport(["--keys", "2", "--assertions", "20", "--files", "1"])
    let finding = try forged.first("challenge.weak").fingerprint
    let (pipe, path) = (forged.path + "/pipe", forged.report + "/summary.json")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    let summary = try String(contentsOfFile: path, encoding: .utf8)
    let changed = summary.replacing(#/"keys": ?null/#, with: "\"keys\":\"\(pipe)\"")
    #expect(changed != summary)
    try changed.write(toFile: path, atomically: true, encoding: .utf8)
    let outcome = try forged.run("explain", finding, "--report", forged.report)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("pipe, is a FIFO now\nhint: --keys FILE"), "\(outcome.errors)")
  }

  @Test func `a report that was changed is told`() throws {
    let forged = try ForgedReport(["--keys", "2", "--assertions", "20", "--files", "1"])
    let finding = try forged.first("challenge.weak").fingerprint
    let path = forged.report + "/keys.csv"
    try (String(contentsOfFile: path, encoding: .utf8) + "\r\n").write(
      toFile: path, atomically: true, encoding: .utf8)
    let outcome = try forged.run("explain", finding, "--report", forged.report)
    #expect(outcome.output.contains("The report was changed: keys.csv is not the file"))
  }
}
