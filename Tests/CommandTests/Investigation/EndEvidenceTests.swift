import Foundation
import TestSupport
import Testing

/// `evidence`, by the built program, and verified by `sha256sum` and `openssl` as its README says.
struct EndEvidenceTests {
  private let forged: ForgedReport

  init() throws {
    forged = try ForgedReport.shared.get()
  }

  private struct Place: Decodable {
    var path: String?
    var line: UInt64
    var length: Int?
    var lineSHA256: String?
  }

  /// Runs a command of a README by a shell: its output without the end of the last line.
  private static func shell(_ command: String, in folder: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = URL(filePath: folder)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  @Test(arguments: ["whole", "damaged", "devices"])
  func `every command of the README prints what it says, for every code`(_ day: String) throws {
    let forged =
      switch day {
      case "whole": self.forged
      case "damaged": try ForgedReport.damaged.get()
      default: try ForgedReport.damagedDevices.get()
      }
    let out = forged.path + "/evidence-all"
    let outcome = try forged.run(
      ["evidence", "--report", forged.report, "--out", out] + forged.firsts.map(\.fingerprint))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = try String(contentsOfFile: out + "/README.md", encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    var (folder, tried) = ("", 0)
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("## ") { folder = String(line.dropFirst(3)) }
      guard line.hasPrefix("$ ") || (line.hasPrefix("# ") && line.contains(" LOG")) else {
        continue
      }
      var command = String(line.dropFirst(2))
      if line.hasPrefix("# ") {
        let place = try JSONDecoder().decode(
          Place.self, from: Data(contentsOf: URL(filePath: "\(out)/\(folder)/place.json")))
        command = command.replacing("LOG", with: "'\(try #require(place.path))'")
      }
      #expect(try Self.shell(command, in: out) == lines[index + 1], "\(command)")
      tried += 1
    }
    #expect(tried > 150)
    #expect(lines.contains("Verified OK"))
    #expect(lines.contains("Verification failure"))
    #expect(lines.contains("holds"))
    #expect(lines.contains("fails"))
  }

  @Test func `the raw line is there byte for byte, with all that lies around it`() throws {
    let finding = try forged.first("counter.repeated")
    let out = forged.path + "/evidence-one"
    #expect(
      try forged.run("evidence", finding.fingerprint, "--report", forged.report, "--out", out)
        .status == 0)
    let own = "\(out)/\(finding.fingerprint)"
    let names = try FileManager.default.subpathsOfDirectory(atPath: out)
    for name in [
      "README.md", "SHA256SUMS", "manifest.json", "anchors.pem", "report/summary.json",
      "\(finding.fingerprint)/finding.json", "\(finding.fingerprint)/explanation.txt",
      "\(finding.fingerprint)/line/token.cbor", "\(finding.fingerprint)/line/inspection.json",
      "\(finding.fingerprint)/line/publicKey.pem", "\(finding.fingerprint)/earlier/line.jsonl",
    ] {
      #expect(names.contains(name), "\(name)")
    }
    let place = try JSONDecoder().decode(
      Place.self, from: Data(contentsOf: URL(filePath: "\(own)/line/place.json")))
    let line = try Data(contentsOf: URL(filePath: "\(own)/line/line.jsonl"))
    #expect(place.line == UInt64(finding.line) && place.length == line.count)
    // A file changed afterwards is told by the sums.
    try (line + Data([32])).write(to: URL(filePath: "\(own)/line/line.jsonl"))
    #expect(try Self.shell("sha256sum --quiet --check SHA256SUMS || echo no", in: out) != "")
  }

  @Test func `a folder that exists is left alone, and a failure leaves nothing`() throws {
    let finding = try forged.first("counter.repeated").fingerprint
    let out = forged.path + "/evidence-none"
    let unknown = try forged.run(
      "evidence", "0123456789abcdef", "--report", forged.report, "--out", out)
    #expect(unknown.status == 64)
    #expect(!FileManager.default.fileExists(atPath: out))
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
    let there = try forged.run("evidence", finding, "--report", forged.report, "--out", out)
    #expect(there.status == 73)
    #expect(there.errors.contains("exists already\nhint: name a folder that does not exist\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: out).isEmpty)
  }
}
