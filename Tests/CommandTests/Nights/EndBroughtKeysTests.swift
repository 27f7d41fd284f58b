import Foundation
import TestSupport
import Testing

/// Keys that a list brings, between the nights or in some of them.
struct EndBroughtKeysTests {
  private let scratch: Scratch
  private let day = SyntheticDay.shared

  init() throws {
    scratch = try Scratch()
    try day.writeSettings(to: scratch)
    try write("all", day.lines)
    _ = try run(
      "audit", "all", "--pipeline", "pipeline.yaml", "--state", "all.st", "--out", "all.out")
    try write("list.jsonl", try list(run("state", "export", "all.st"), of: []))
  }

  /// The rows of an exported list without what it knows besides the keys, but for `members`.
  private func list(_ exported: String, of members: [String]) throws -> [String] {
    try exported.split(separator: "\n").map { line in
      let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let kept = try #require(row).filter {
        (["keyId", "publicKey", "appId"] + members).contains($0.key)
      }
      return String(decoding: try JSONSerialization.data(withJSONObject: kept), as: UTF8.self)
    }
  }

  private func write(_ name: String, _ lines: [String]) throws {
    try scratch.write(name, Array(lines.map { $0 + "\n" }.joined().utf8))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)],
      ofItemAtPath: scratch.path + "/" + name)
  }

  @discardableResult
  private func run(_ arguments: String...) throws -> String {
    let outcome = try Program.run(arguments, in: scratch.path)
    #expect([0, 1].contains(outcome.status), "\(outcome.errors)")
    return outcome.output
  }

  /// Writes three nights of assertions without an attestation; the second has one with another payload
  /// than was signed, and one whose counter was there the night before.
  private func writeNights() throws {
    let indices = day.lines.indices.filter {
      day.lines[$0].contains("\"payload\"") && !day.lines[$0].contains("\"platform\"")
        && !day.lines[$0].contains("clientData")
    }
    var nights: [[String]] = [[], [], []]
    for (place, index) in indices.enumerated() {
      nights[place * 3 / indices.count].append(day.lines[index])
    }
    let first = try #require(indices.first)
    nights[1].append(try day.line(first, ["payload": "never signed", "requestId": "forged"]))
    nights[1].append(try day.line(first, ["requestId": "replayed"]))
    for (index, lines) in nights.enumerated() { try write("\(index).jsonl", lines) }
  }

  private func places(_ rows: [[String: String]]) -> Set<String> {
    Set(
      rows.map {
        "\($0["severity"] ?? "") \($0["code"] ?? "") \($0["source"] ?? ""):\($0["line"] ?? "")"
      })
  }

  private var open: Set<String> {
    get throws {
      places(try CSVTable.rows(Array(run("state", "findings", "state", "--format", "csv").utf8)))
    }
  }

  private var ofOneRun: Set<String> {
    get throws {
      try run(
        "audit", "0.jsonl", "1.jsonl", "2.jsonl", "--pipeline", "pipeline.yaml", "--keys",
        "list.jsonl", "--out", "one")
      return places(try scratch.report("one").findingRows)
    }
  }

  private func night(_ number: Int, withList: Bool) throws {
    let outcome = try Program.run(
      ["audit", "\(number).jsonl", "--pipeline", "pipeline.yaml", "--state", "state", "--out"]
        + ["night-\(number)", "--quiet"] + (withList ? ["--keys", "list.jsonl"] : []),
      in: scratch.path)
    #expect([0, 1].contains(outcome.status), "\(outcome.errors)")
  }

  @Test func `what waited for a key is judged by the first night behind its import`() throws {
    try writeNights()
    try night(0, withList: false)
    try night(1, withList: false)
    #expect(try open.contains { $0.contains("key.unknown") })
    try run("state", "import", "state", "list.jsonl")
    try night(2, withList: false)
    let one = try ofOneRun
    #expect(one.contains { $0.contains("assertion.signature_invalid 1.jsonl") })
    #expect(try open == one)
  }

  @Test func `an import wakes what waited although no record of the key comes any more`() throws {
    try writeNights()
    for number in 0..<3 { try night(number, withList: false) }
    try run("state", "import", "state", "list.jsonl")
    try write(
      "3.jsonl",
      [#"{"time":1772400000000,"kind":"challenge","challenge":"another day, another one"}"#])
    try night(3, withList: false)
    #expect(try open == ofOneRun)
  }

  @Test func `what a night without its list could not verify is judged once the list is back`()
    throws
  {
    try writeNights()
    try night(0, withList: true)
    try night(1, withList: false)
    #expect(try open.contains { $0.contains("key.unknown") })
    try night(2, withList: true)
    #expect(try open == ofOneRun)
  }

  @Test
  func `what a night without its list could not verify is judged without a record of it`()
    throws
  {
    let key = try firstKey()
    let (first, last) = (try #require(key.assertions.first), try #require(key.assertions.last))
    // A higher counter comes late, from before the one that the list verified.
    try write("0.jsonl", [try day.line(first, ["time": "2026-03-02T00:00:00.000Z"])])
    try write("1.jsonl", [day.lines[last]])
    try write("2.jsonl", [])
    try night(0, withList: true)
    try night(1, withList: false)
    #expect(try open.contains { $0.contains("key.unknown") })
    try night(2, withList: true)
    #expect(try open == ofOneRun)
    #expect(try open.contains("critical counter.regression 0.jsonl:1"))
  }

  /// Returns the key identifier of a line or of a list's row in lower-case hex, whatever its text form.
  private func keyID(_ line: some StringProtocol) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let text = try #require(object?["keyId"] as? String)
    if text.utf8.count == 64 { return text.lowercased() }
    let plain = text.filter { $0 != "=" }.replacing("-", with: "+").replacing("_", with: "/")
    let bytes = try #require(Data(base64Encoded: plain.replacing(" ", with: "+") + "="))
    return bytes.map { String(format: "%02x", $0) }.joined()
  }

  /// The first attestation of the day with a subject, its key identifier, and the assertions of its key.
  private func firstKey() throws -> (keyID: String, attestation: Int, assertions: [Int]) {
    let attestation = try #require(
      day.lines.firstIndex { $0.contains("\"challenge\"") && $0.contains("\"subject\"") })
    let key = try keyID(day.lines[attestation])
    let assertions = try day.lines.indices.filter {
      try $0 != attestation && keyID(day.lines[$0]) == key
    }
    return (key, attestation, assertions)
  }

  private func rows(_ report: String) throws -> Set<String> {
    Set(try scratch.report(report).findingRows.compactMap { $0["code"] })
  }

  @Test(arguments: [false, true])
  func `an import counts for a key that the state knows, validly attested or not`(
    isValid: Bool
  ) throws {
    let key = try firstKey()
    let failing: [String: Any?] = [
      "challenge": "YW5vdGhlciBvbmUgaGVyZQ==", "clientData": nil, "clientDataHash": nil,
      "decision": "rejected",
    ]
    try write(
      "0.jsonl",
      [
        try day.line(key.attestation, isValid ? [:] : failing)
      ])
    try write("1.jsonl", key.assertions.map { day.lines[$0] })
    try writeList("more.jsonl", more: #", "lastCounter": 4000000000, "subject": "nobody""#)
    try night(0, withList: false)
    try run("state", "import", "state", "more.jsonl")
    try night(1, withList: false)
    #expect(try rows("night-1").contains("counter.regression"))
    let all = try run("state", "keys", "state")
    #expect(all.contains("4000000000"))
    #expect(all.contains("nobody") == !isValid)
    // What is said twice is said once.
    #expect(try run("state", "import", "state", "more.jsonl").contains("1 keys as they were"))
  }

  @Test
  func `what waits in the state counts in a run for reference`() throws {
    let key = try firstKey()
    let (first, last) = (try #require(key.assertions.first), try #require(key.assertions.last))
    try write("0.jsonl", [day.lines[last]])
    try night(0, withList: false)
    try write(
      "1.jsonl",
      [
        day.lines[key.attestation],
        try day.line(first, ["time": "2026-03-02T00:00:00.000Z", "requestId": "late"]),
      ])
    for mode in ["reference", "advance"] {
      try run(
        "audit", "1.jsonl", "--pipeline", "pipeline.yaml", "--state", "state", "--state-mode", mode,
        "--out", mode)
      #expect(try rows(mode).contains("counter.regression"), "\(mode)")
    }
  }

  /// Writes the first key's row of the list with more in it.
  private func writeList(_ name: String, more: String = "") throws {
    let key = try firstKey().keyID
    let row = try #require(
      String(decoding: scratch.bytes("list.jsonl"), as: UTF8.self).split(separator: "\n").first {
        try keyID($0) == key
      })
    try write(name, [row.dropLast() + more + "}"])
  }

  @Test
  func `a later list says when an imported key was attested`() throws {
    let key = try firstKey()
    try writeList("plain.jsonl")
    try writeList("list.jsonl", more: #", "attestedAt": "2026-03-05T00:00:00.000Z""#)
    try write("0.jsonl", [day.lines[try #require(key.assertions.first)]])
    try run("state", "import", "state", "plain.jsonl")
    try night(0, withList: true)
    #expect(try rows("night-0").contains("key.used_before_attestation"))
  }

  @Test
  func `a list that knows the key from before withdraws that it was used too early`() throws {
    let key = try firstKey()
    try writeList("list.jsonl")
    try write("0.jsonl", [day.lines[try #require(key.assertions.first)]])
    try write("1.jsonl", [try day.line(key.attestation, ["time": "2026-03-01T18:00:00.000Z"])])
    try write("2.jsonl", [])
    try night(0, withList: true)
    try night(1, withList: false)
    #expect(try open.contains { $0.contains("key.used_before_attestation") })
    try night(2, withList: true)
    #expect(try open == ofOneRun)
    #expect(try !open.contains { $0.contains("key.used_before_attestation") })
  }

  @Test func `what waited for a device is judged once an import says whose key it has`() throws {
    let forged = try Program.forge(
      [
        "--schema", "header-assertion", "--clean", "--keys", "3", "--assertions", "30",
        "--files", "1", "--seed", "11", "--out", "devices",
      ], in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    try run("audit", "--pipeline", "devices/pipeline.yaml", "--state", "all.st2", "--out", "all2")
    try write("devices.jsonl", try list(run("state", "export", "all.st2"), of: ["deviceId"]))
    let names = try scratch.contents("devices/logs")
    let lines = try names.sorted().flatMap {
      String(decoding: try Packed.unpack(scratch.bytes("devices/logs/\($0)")), as: UTF8.self)
        .split(whereSeparator: \.isNewline).map(String.init)
    }
    let alone = lines.filter { !$0.contains("o2NmbX") }
    #expect(!alone.isEmpty && alone.count < lines.count)
    try write("0.jsonl", alone)
    try write("1.jsonl", [])
    func night(_ number: Int) throws -> Set<String> {
      try run(
        "audit", "\(number).jsonl", "--pipeline", "devices/pipeline.yaml", "--state", "state",
        "--out", "night-\(number)")
      return try rows("night-\(number)")
    }
    #expect(try night(0) == ["key.unknown"])
    try run("state", "import", "state", "devices.jsonl")
    _ = try night(1)
    #expect(try open.isEmpty)
  }
}
