import AppAttest
import AuditEngine
import Foundation
import TestSupport
import Testing

@testable import AuditSettings

struct PipelineFileTests {
  private let scratch = made { try Scratch() }

  private func read(
    _ text: String, environment: [String: String] = [:]
  ) throws -> SettingsLayer {
    let path = try scratch.write("p.yaml", text)
    return try PipelineFile.read(
      NamedPath(path: path, origin: "--pipeline"),
      substitution: Substitution(date: "2026-03-01", environment: environment))
  }

  /// The error of a file, without its folder.
  private func failure(_ text: String, environment: [String: String] = [:]) -> CommandError? {
    complaint(in: scratch) { _ = try read(text, environment: environment) }
  }

  @Test(arguments: ["", "# nothing\n", "{}", "version: 1\n", "apps:\ninputs: ~\ntrust: {}\n"])
  func `every key may be left out`(_ text: String) throws {
    var layer = try read(text)
    layer.version = nil
    #expect(SettingTable.all.allSatisfy { layer.origin(of: $0) == nil })
  }

  @Test func `a byte order mark in front of a file is no part of it`() throws {
    let text = "version: 1\ninputs: [a]\nkeys: k.csv\n"
    #expect(try read("\u{FEFF}" + text).keys?.path == read(text).keys?.path)
    #expect(failure("\u{FEFF}" + text + "more: 1\n")?.message.contains("p.yaml:4: ") == true)
  }

  @Test func `code hashes come from files, one on each line, with comments`() throws {
    // verification.R37; pipeline.R7.
    let (short, long) = (String(repeating: "0a", count: 20), String(repeating: "b1", count: 32))
    try scratch.write(
      "hashes.txt", "# builds\n\n\(short)\r\n  \(long.uppercased())  7.1 (b)\n\(short)# again\n")
    for text in ["{file: hashes.txt}", "[{file: hashes.txt}, \(long)]"] {
      let layer = try read("apps: [{id: A.b, codeHashes: \(text)}]")
      #expect(layer.apps?.first?.codeHashes.map(\.hex) == [short, long])
    }
    try scratch.write("hashes.txt", "\(short)\nabcd 7.2\n")
    let failure = failure("apps: [{id: A.b, codeHashes: {file: hashes.txt}}]")
    #expect(
      failure?.message.hasSuffix("hashes.txt:2: 'abcd' is not a code hash: 40 or 64 hex digits")
        == true)
    // A list that lost its hashes must not accept all code.
    try scratch.write("hashes.txt", "# builds\n\n")
    #expect(
      self.failure("apps: [{id: A.b, codeHashes: {file: hashes.txt}}]")?.message.hasSuffix(
        "hashes.txt: there is no code hash, so every code would be accepted") == true)
  }

  @Test func `a rule on bundle versions that lets Macs pass is warned of`() {
    // verification.R15.
    for (app, isWarned) in [
      (AppPolicy(id: "A.b"), false), (AppPolicy(id: "A.b", bundleVersions: ["1"]), true),
      (AppPolicy(id: "A.b", bundleVersions: ["1"], requires: [.codeHash]), true),
      (AppPolicy(id: "A.b", bundleVersions: ["1"], requires: [.bundleVersion]), false),
    ] {
      #expect((app.versionWarning != nil) == isWarned)
    }
  }

  private static let keyID = Digest256((0..<32).map { UInt8($0) })!

  @Test(arguments: [
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
    "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F",
  ])
  func `a key may be written in every way that lists of keys have`(_ text: String) throws {
    let layer = try read(
      "accept: [{code: counter.gap, key: \(text), severity: low, reason: r, expires: 2026-01-01}]")
    #expect(layer.accepted?.map(\.target) == [.key(.counterGap, Self.keyID)])
  }

  @Test func `a fingerprint is sixteen digits, whatever YAML would take them for`() throws {
    for (text, value) in [
      ("0000000000000001", 1), ("1234567890123456", 0x1234_5678_9012_3456),
      ("12345678901234e5", 0x1234_5678_9012_34E5), ("FFFFFFFFFFFFFFFF", UInt64.max),
    ] as [(String, UInt64)] {
      let layer = try read(
        "accept: [{fingerprint: \(text), severity: low, reason: r, expires: 2026-01-01}]")
      #expect(layer.accepted?.map(\.target) == [.fingerprint(value)])
    }
  }

  @Test(arguments: TextCase.read("pipeline-mistakes"))
  func `a mistake is told with its line and what is allowed`(_ mistake: TextCase) {
    #expect(
      failure(mistake.text)
        == CommandError(.invalidFile, mistake.message, hint: mistake.hint))
  }

  @Test func `what a variable holds is not filled in again`() throws {
    let layer = try read(
      "keys: /${A}$B${date}$", environment: ["A": "${date}$", "B": "no"])
    #expect(layer.keys?.path == "/${date}$$B2026-03-01$")
  }

  @Test func `a variable named date does not replace the day`() throws {
    #expect(try read("keys: /${date}", environment: ["date": "x"]).keys?.path == "/2026-03-01")
  }

  @Test func `a folder is no pipeline file`() {
    #expect(
      throws: CommandError(.invalidFile, "cannot read \(scratch.path): is a directory")
    ) {
      try PipelineFile.read(
        NamedPath(path: scratch.path, origin: scratch.path),
        substitution: Substitution())
    }
  }

  @Test func `bytes that are no text are refused`() throws {
    let path = scratch.path + "/p.yaml"
    try Data([0x76, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: path))
    #expect(throws: CommandError(.invalidFile, "\(path):1: the file is not UTF-8")) {
      try PipelineFile.read(
        NamedPath(path: path, origin: path),
        substitution: Substitution())
    }
  }

  @Test func `control characters are told, not passed on`() {
    #expect(
      failure("keys: \"a\u{01}\"\n")?.message
        == "p.yaml:1: not YAML: control characters are not allowed")
  }

  @Test func `a file of brackets alone ends`() {
    #expect(failure(String(repeating: "[", count: 5000))?.status == .invalidFile)
  }
}
