import AppAttest
import AuditEngine
import Foundation
import TestSupport
import Testing

@testable import AuditSettings

struct PipelineFileTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

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
    #expect(layer == SettingsLayer())
  }

  @Test func `a byte order mark in front of a file is no part of it`() throws {
    let text = "version: 1\ninputs: [a]\nkeys: k.csv\n"
    #expect(try read("\u{FEFF}" + text) == read(text))
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

  @Test func `the whole file of the specification is read`() throws {
    let layer = try read(
      """
      version: 1
      inputs: [/var/log/gateway/${date}/, "edge/*.jsonl.zst", "-"]
      schema: default
      apps:
        - id: ${TEAM}.com.example.bank
          environments: [production, development]
          categories: [appStore, testFlight]
          bundleVersions: [1.0, ">=2 <3"]
          codeHashes: [0123456789ABCDEF0123456789abcdef01234567]
          requires: [bundleVersion, codeHash]
        - id: B.c
      trust:
        anchors: [a.pem]
        receiptAnchors: [/b.pem]
        receipts: parse
        macOSAccessControl: ignore
      keys: known-keys.csv
      detect:
        reorderTolerance: 31s
        retryTolerance: 1s
        replayScope: exact
        counterGap: 7
        challenges: required
        challengeTTL: 5m
        attestationMaxAge: 2d
      severity:
        counter.gap: low
        key.unknown: critical
      limits: {memory: 1GiB, jobs: 3, lineBytes: 1MiB, zstdWindowBytes: 64MiB, rejectRate: 12.5%, tempDir: spill}
      report: {out: reports/${date}, overwrite: true, verdicts: true, failOn: never, metrics: a.prom}
      state: {dir: state, mode: reference, window: 14d, pendingFor: 0s, settle: 1m}
      accept:
        - {fingerprint: 0123456789abcdef, severity: low, reason: "  looked into ", expires: ${date}}
        - code: key.unknown
          key: AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
          severity: critical
          reason: ours
          expires: 2026-12-31
        - {code: counter.gap, app: ABCDE12345.com.example.bank, severity: info, reason: a, expires: 2026-12-31}
        - {code: counter.gap, severity: high, reason: b, expires: 2026-12-31}
      """, environment: ["TEAM": "ABCDE12345"])
    let folder = scratch.path + "/"
    var expected = SettingsLayer()
    expected.version = 1
    expected.schema = .standard
    expected.inputs = ["/var/log/gateway/2026-03-01/", folder + "edge/*.jsonl.zst", "-"]
    expected.apps = [
      AppPolicy(
        id: "ABCDE12345.com.example.bank", environments: [.production, .development],
        categories: [.init(rawValue: 4), .init(rawValue: 2)], bundleVersions: ["1.0", ">=2 <3"],
        codeHashes: [try #require(CodeHash(hex: "0123456789abcdef0123456789abcdef01234567"))],
        requires: [.bundleVersion, .codeHash]),
      AppPolicy(id: "B.c"),
    ]
    expected.anchors = [NamedPath(path: folder + "a.pem", origin: folder + "p.yaml:13")]
    expected.receiptAnchors = [NamedPath(path: "/b.pem", origin: folder + "p.yaml:14")]
    expected.receipts = .parse
    expected.macOSAccessControl = .ignore
    expected.keys = NamedPath(path: folder + "known-keys.csv", origin: folder + "p.yaml:17")
    expected.reorderTolerance = 31_000
    expected.retryTolerance = 1000
    expected.replayScope = .exact
    expected.counterGap = 7
    expected.challengesRequired = true
    expected.challengeTTL = 300_000
    expected.attestationMaxAge = 172_800_000
    expected.severities = [.counterGap: .low, .keyUnknown: .critical]
    expected.memory = 1 << 30
    expected.jobs = 3
    expected.lineBytes = 1 << 20
    expected.zstdWindowBytes = 64 << 20
    expected.rejectRate = 0.125
    expected.tempDirectory = folder + "spill"
    expected.out = folder + "reports/2026-03-01"
    expected.overwrite = true
    expected.verdicts = true
    expected.failOn = .never
    expected.metrics = folder + "a.prom"
    expected.stateDir = folder + "state"
    expected.stateMode = .reference
    expected.stateWindow = 14 * 86_400_000
    expected.pendingFor = 0
    expected.settle = 60_000
    expected.accepted = [
      AcceptedFinding(
        .fingerprint(0x0123_4567_89AB_CDEF), severity: .low, reason: "  looked into ",
        expires: "2026-03-01"),
      AcceptedFinding(
        .key(.keyUnknown, Self.keyID), severity: .critical, reason: "ours", expires: "2026-12-31"),
      AcceptedFinding(
        .app(.counterGap, "ABCDE12345.com.example.bank"), severity: .info, reason: "a",
        expires: "2026-12-31"),
      AcceptedFinding(.code(.counterGap), severity: .high, reason: "b", expires: "2026-12-31"),
    ]
    #expect(layer == expected)
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

  @Test func `a file that is not there is told with who named it`() {
    let path = scratch.path + "/none.yaml"
    #expect(
      throws: CommandError(
        .invalidFile, "--pipeline: cannot read \(path): no such file or directory")
    ) {
      try PipelineFile.read(
        NamedPath(path: path, origin: "--pipeline"),
        substitution: Substitution(date: "", environment: [:]))
    }
  }

  @Test func `a folder is no pipeline file`() {
    #expect(
      throws: CommandError(.invalidFile, "cannot read \(scratch.path): is a directory")
    ) {
      try PipelineFile.read(
        NamedPath(path: scratch.path, origin: scratch.path),
        substitution: Substitution(date: "", environment: [:]))
    }
  }

  @Test func `bytes that are no text are refused`() throws {
    let path = scratch.path + "/p.yaml"
    try Data([0x76, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: path))
    #expect(throws: CommandError(.invalidFile, "\(path):1: the file is not UTF-8")) {
      try PipelineFile.read(
        NamedPath(path: path, origin: path),
        substitution: Substitution(date: "", environment: [:]))
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
