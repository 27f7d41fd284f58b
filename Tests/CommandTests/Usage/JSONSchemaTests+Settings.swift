import AuditEngine
import Foundation
import TestSupport
import Testing

/// Pipeline and schema files.
extension JSONSchemaTests {
  @Test func `the pipeline files that come along are valid`() throws {
    let folders = ["pipelines", "testdata"] + Self.files("testdata/schemas", "")
    let files = folders.flatMap { Self.files($0, ".yaml") }
    #expect(files.count >= 4)
    try Self.expectValid(try files.map { Job("pipeline", .yaml, try Self.text($0)) })
  }

  @Test func `the schema files that come along are valid`() throws {
    let files = Self.files("pipelines/schemas", ".yaml")
    #expect(files.count >= 7)
    try Self.expectValid(try files.map { Job("schema", .yaml, try Self.text($0)) })
  }

  @Test func `a pipeline file with all there is is valid`() throws {
    try Self.expectValid([Job("pipeline", .yaml, Self.whole)])
  }

  /// Pieces of text in ``whole``, each with one that makes it wrong.
  private static let damages: [(good: String, bad: String)] = [
    ("version: 1", "version: 2"), ("version: 1", "versoin: 1"),
    ("id: ABCDE12345.com.example.bank", "id: bank"), ("[production]", "[]"),
    ("[production]", "[produktion]"), ("[appStore]", "[store]"),
    ("receipts: verify", "receipts: on"), ("requires: [codeHash]", "requires: [hash]"),
    ("{file: hashes.txt}", "{path: hashes.txt}"), ("{file: hashes.txt}", "0123"),
    ("anchors: [a.pem]", "anchors: a.pem"), ("replayScope: exact", "replayScope: none"),
    ("counterGap: 5", "counterGap: -5"), ("counterGap: 5", "counterGap: many"),
    ("challenges: required", "challenges: must"), ("30s", "30 seconds"), ("30s", "30"),
    ("counter.gap: low", "counter.gap: lowest"), ("counter.gap: low", "counter.hole: low"),
    ("memory: 1GiB", "memory: 1GB"), ("memory: 1GiB", "memroy: 1GiB"), ("10%", "10"),
    ("10%", "110%"),
    ("jobs: 4", "jobs: 1025"), ("failOn: high", "failOn: highest"),
    ("overwrite: false", "overwrite: no"), ("inputs: [a, b]", "inputs: a"),
    ("{pointer: /method, is: POST}", "{pointer: /method}"),
    ("{pointer: /method, is: POST}", "{is: POST}"),
    ("{pointer: /method, is: POST}", "{pointer: method, is: POST}"),
    ("{pointer: /method, is: POST}", "{pointer: /method, is: POST, present: true}"),
    ("{pointer: /method, is: POST}", "{pointer: /method, equals: POST}"),
    ("kind: assertion", "kind: request"), ("keyId: [/a/b, /c~1d]", "keyID: [/a/b]"),
    ("keyId: [/a/b, /c~1d]", "keyId: []"), ("keyId: [/a/b, /c~1d]", "keyId: [/a~2]"),
    ("keyId: [/a/b, /c~1d]", "keyId: {pointer: /a, constant: b}"),
    ("unit: ms", "unit: minutes"), ("encoding: base64", "encoding: base32"),
    ("hash: sha256", "hash: md5"), ("2xx: accepted", "2xx: allowed"),
    ("otherwise: unknown", "otherwise: maybe"), ("rules:", "rule:"), ("template:", "pattern:"),
    ("expect: {kind: assertion", "expect: {sort: assertion"),
    ("{reject: record.missing_field}", "{reject: record.odd}"),
    ("{reject: record.missing_field}", "{reject: record.missing_field, kind: assertion}"),
    ("{reject: record.missing_field}", "{}"), ("{skipped: true}", "{skipped: false}"),
    ("{skipped: true}", "{skipped: true, kind: challenge}"),
    ("lines: 7", "lines: 0"), ("{inputs: c/*, lines: 7}", "{lines: 7}"),
    ("onlyNew: true", "onlyNew: 1"), ("generations: 3", "generations: -1"),
    ("mode: advance", "mode: forward"), ("window: 14d", "window: 14"), ("{dir: s,", "{dri: s,"),
    ("fingerprint: 0123456789abcdef, severity", "fingerprint: 012x, severity"),
    ("severity: critical, reason: digits", "severity: grave, reason: digits"),
    ("app: A.b, severity", "app: A.b, key: AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=, severity"),
    ("fingerprint: 0123456789abcdef, severity", "severity"),
    (
      "fingerprint: 0123456789abcdef, severity",
      "fingerprint: 0123456789abcdef, code: key.unknown, severity"
    ),
    ("reason: load test, ", ""), ("reason: load test", "reason: ' '"),
    ("expires: 2026-12-31}\n", "expires: never}\n"), ("code: key.unknown, ", ""),
    ("code: key.unknown", "code: key.lost"), ("key: AAECAwQF", "key: AAEC"),
  ]

  @Test func `a damaged pipeline file is refused`() throws {
    #expect(Self.damages.allSatisfy { Self.whole.contains($0.good) })
    try Self.expectRefused(
      Self.damages.map { good, bad in
        Job("pipeline", .yaml, Self.whole.replacing(good, with: bad, maxReplacements: 1))
      })
  }

  private static let whole = """
    version: 1
    inputs: [a, b]
    schema:
      version: 1
      name: gateway
      replayScope: exact
      hash: sha256
      headers: [/headers]
      fields:
        time: {pointer: /ts, unit: ms}
        decision: {pointer: /status, values: {2xx: accepted, 403: rejected}, otherwise: unknown}
      rules:
        - name: protected
          when: [{pointer: /method, is: POST}, {pointer: /status, is: [200, 403]}]
          kind: assertion
          fields:
            keyId: [/a/b, /c~1d]
            token: {pointer: /headers/X-Assertion, encoding: base64}
            clientData: {template: "{/method} {/path}"}
            serverCounter: /count
            deviceId: /device
            appId: {constant: ABCDE12345.com.example.bank}
        - when: [{pointer: /event, present: true}]
          kind: {pointer: /event, values: {a: attestation, c: challenge}, otherwise: deviceCheckToken}
    apps:
      - id: ABCDE12345.com.example.bank
        environments: [production]
        categories: [appStore]
        bundleVersions: ["7.1", 7.2]
        codeHashes: [0123456789abcdef0123456789abcdef01234567, {file: hashes.txt}]
        requires: [codeHash]
      - id: ${APP_ID}
    trust: {anchors: [a.pem], receiptAnchors: [], receipts: verify}
    keys: known-keys.csv
    detect:
      reorderTolerance: 30s
      retryTolerance: 0s
      replayScope: exact
      counterGap: 5
      challenges: required
      challengeTTL: 1d
      attestationMaxAge: ${AGE}
    severity: {counter.gap: low}
    limits: {memory: 1GiB, jobs: 4, lineBytes: 4194304, zstdWindowBytes: 128MiB, rejectRate: 10%, tempDir: t}
    expect: [{inputs: c/*, lines: 7}, {inputs: "d/${date}/"}]
    report: {onlyNew: true, out: "r/${date}", overwrite: false, verdicts: true, failOn: high, metrics: m.prom}
    state: {dir: s, mode: advance, window: 14d, pendingFor: 3d, settle: 10m, generations: 3}
    accept:
      - {fingerprint: 0123456789abcdef, severity: low, reason: load test, expires: 2026-12-31}
      - {fingerprint: 1234567890123456, severity: critical, reason: digits alone, expires: "${date}"}
      - {code: key.unknown, key: AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=, severity: info, reason: r, expires: 2026-12-31}
      - {code: key.unknown, app: A.b, severity: info, reason: r, expires: 2026-12-31}
      - {code: counter.gap, severity: "${S}", reason: r, expires: 2026-12-31}
    tests:
      - name: one
        line: '{"ts":1}'
        expect: {kind: assertion, time: 2026-03-01T00:00:00.001Z, decision: accepted}
      - line: "{}"
        expect: {reject: record.missing_field}
      - line: "{}"
        expect: {skipped: true}
    """
}
