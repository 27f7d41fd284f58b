import Basics
import Foundation
import TestSupport
import Testing

/// Logs that name devices in place of keys, read through a schema of their own: what the built
/// program finds.
struct EndDeviceTests {
  private static let schema = """
    schema:
      name: devices
      replayScope: exact
      fields:
        time: /time
        subject: /subject
        requestId: /requestId
        decision: {pointer: /status, values: {200: accepted}, otherwise: rejected}
      rules:
        - name: enrolment
          when: [{pointer: /route, is: enrol}]
          kind: attestation
          fields:
            keyId: /key
            token: /object
            challenge: /challenge
            deviceId: [/device/id, /device_id]
        - name: request
          when: [{pointer: /route, is: call}]
          kind: assertion
          fields:
            deviceId: [/device/id, /device_id]
            token: /object
            payload: /payload
            clientData: /clientData
            clientDataHash: /clientDataHash
            serverCounter: /stored
        - name: device check
          when: [{pointer: /route, is: check}]
          kind: deviceCheckToken
          fields: {token: /object}

    """

  /// A line of the synthetic day as a server that knows devices would have logged it.
  private struct Line {
    var fields: [String: Any]
    let keyHex: String
    let token: [UInt8]
    var isAttestation: Bool { fields["route"] as? String == "enrol" }

    init(_ text: String) throws {
      let plain = try #require(
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let key = try #require(plain["keyId"] as? String)
      let object = try #require(plain["token"] as? String)
      keyHex = try #require(key.count == 64 ? key.lowercased() : Self.bytes(key).map(Self.hex))
      token = try #require(Self.bytes(object))
      let isAttestation = plain["challenge"] != nil
      fields = ["route": isAttestation ? "enrol" : "call", "object": object]
      if isAttestation { fields["key"] = key }
      let copied =
        isAttestation
        ? ["time", "challenge", "subject", "requestId"]
        : ["time", "payload", "clientData", "clientDataHash", "subject", "requestId"]
      for name in copied { fields[name] = plain[name] }
      fields["status"] = plain["decision"] == nil ? nil : 200
    }

    /// Decodes base64 of either alphabet.
    private static func bytes(_ text: String) -> [UInt8]? {
      var plain = text.replacing("-", with: "+").replacing("_", with: "/").replacing(" ", with: "+")
      plain.removeAll { $0 == "=" }
      plain += String(repeating: "=", count: (4 - plain.count % 4) % 4)
      return Data(base64Encoded: plain).map { Array($0) }
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { String(format: "%02x", $0) }.joined()
    }

    /// The counter of an assertion: the four bytes behind the 33rd of its authenticatorData.
    var counter: Int {
      let name = Array("authenticatorData".utf8)
      guard let start = token.firstRange(of: name)?.upperBound else { return -1 }
      return token[(start + 2 + 33)..<(start + 2 + 37)].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The public key in an attestation: the byte strings −2 and −3 of its COSE key.
    var publicKey: [UInt8]? {
      token.indices.first { at in
        at + 70 <= token.count && token[at..<(at + 3)].elementsEqual([0x21, 0x58, 32])
          && token[(at + 35)..<(at + 38)].elementsEqual([0x22, 0x58, 32])
      }.map { [4] + token[($0 + 3)..<($0 + 35)] + token[($0 + 38)..<($0 + 70)] }
    }

    func text() throws -> String {
      let data = try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])
      return String(decoding: data, as: UTF8.self) + "\n"
    }
  }

  private let scratch: Scratch
  private let lines: [Line]

  init() throws {
    scratch = try Scratch()
    try SyntheticDay.shared.writeSettings(to: scratch, more: Self.schema)
    try scratch.makeFolder("spill")
    var lines = try SyntheticDay.shared.lines.map { try Line($0) }
    for index in lines.indices {
      // Both pointers are used.
      let device = "device of \(lines[index].keyHex.prefix(8))"
      if index % 2 == 0 {
        lines[index].fields["device"] = ["id": device]
      } else {
        lines[index].fields["device_id"] = device
      }
    }
    self.lines = lines
  }

  private func write(_ lines: [Line]) throws {
    try scratch.write("log.jsonl", lines.map { try $0.text() }.joined())
  }

  private func audit(_ flags: String...) throws -> Program.Outcome {
    try Program.run(EndAudit.arguments(["log.jsonl"] + flags), in: scratch.path)
  }

  @Test func `a day of devices is the same as one of keys`() throws {
    try write(lines)
    let outcome = try audit("--quiet", "--verdicts", "--jobs", "1")
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    let report = scratch.report()
    #expect(try report.findings == [])
    #expect(try report.summary.records["attestations"] == 3)
    #expect(try report.summary.records["assertions"] == 30)
    #expect(try report.summary.verdicts.filter { $0.value > 0 } == ["valid": 33])
    let verdicts = try report.verdictRows
    #expect(verdicts.map { $0["key_id"] } == lines.map(\.keyHex))
    let lasting = try report.lasting
    for flags in [["--jobs", "4"], ["--memory", "64MiB", "--jobs", "3"]] {
      let again = try Program.run(
        EndAudit.arguments(["log.jsonl", "--quiet", "--verdicts"] + flags), in: scratch.path)
      #expect(again == outcome)
      #expect(try scratch.report().lasting == lasting)
    }
    // With the keys' own names the keys come to the same rows, but for the App IDs of records.
    let plain = try EndAudit()
    try plain.scratch.write("log.jsonl", plain.day.log())
    #expect(try plain.run("log.jsonl", "--quiet").status == 0)
    func figures(_ report: ReportFolder) throws -> [[String?]] {
      try report.keyRows.map { row in
        ["key_id", "assertions", "verified", "first_counter", "last_counter", "missing_counters"]
          .map { row[$0] }
      }
    }
    #expect(try figures(report) == figures(plain.report))
  }

  @Test func `devices that nothing names are told with the pointers`() throws {
    let key = lines[0].keyHex
    // The attestation of the first key is not in the log.
    let left = lines.filter { !($0.isAttestation && $0.keyHex == key) }
    try write(left)
    let outcome = try audit("--quiet", "--verdicts")
    #expect(outcome == Program.Outcome(status: 1, output: "", errors: ""))
    let report = scratch.report()
    let first = try #require(left.firstIndex { $0.keyHex == key })
    let count = left.count { $0.keyHex == key }
    let rows = try report.findingRows
    #expect(rows.count == 1)
    let row = try #require(rows.first)
    #expect(row["code"] == "key.unknown" && row["line"] == "\(first + 1)")
    #expect(row["count"] == "\(count)" && row["key_id"] == "" && row["kind"] == "assertion")
    #expect(
      row["detail"]
        == "No attestation names the device \"device of \(key.prefix(8))\" of the field "
        + "deviceId (/device/id, /device_id); its assertions cannot be verified.")
    #expect(try report.keyRows.count == 2)
    let summary = try report.summary
    #expect(summary.verdicts["unverifiable"] == count && summary.keys["unknown"] == 0)
    let unverifiable = try report.verdictRows.filter { $0["verdict"] == "unverifiable" }
    #expect(unverifiable.count == count && unverifiable.allSatisfy { $0["key_id"] == "" })
  }

  @Test func `a list of known keys says which device has which`() throws {
    let attestation = try #require(lines.first { $0.isAttestation && $0.publicKey != nil })
    let device = "device of \(attestation.keyHex.prefix(8))"
    let appID = try #require(
      try {
        try write(lines)
        _ = try audit("--quiet")
        return try scratch.report().keyRows.first { $0["key_id"] == attestation.keyHex }?["app_id"]
      }())
    let known = try JSONSerialization.data(withJSONObject: [
      "keyId": attestation.keyHex, "appId": appID, "deviceId": device,
      "publicKey": Data(attestation.publicKey ?? []).base64EncodedString(),
    ])
    try scratch.write("known.jsonl", Array(known) + [0x0A])
    try write(lines.filter { !($0.isAttestation && $0.keyHex == attestation.keyHex) })
    #expect(try audit("--quiet", "--keys", "known.jsonl").status == 0)
    #expect(try scratch.report().findings == [])
    #expect(try scratch.report().summary.keys["imported"] == 1)
  }

  @Test func `the server's counter is compared with the audit's`() throws {
    var stored: [String: Int] = [:]
    var changed = lines
    for index in changed.indices where !changed[index].isAttestation {
      let key = changed[index].keyHex
      changed[index].fields["stored"] = stored[key] ?? 0
      stored[key] = changed[index].counter
    }
    try write(changed)
    #expect(try audit("--quiet").status == 0)
    #expect(try scratch.report().findings == [])
    // One request finds a counter that was set back.
    let index = try #require(changed.lastIndex { ($0.fields["stored"] as? Int ?? 0) > 1 })
    let expected = try #require(changed[index].fields["stored"] as? Int)
    changed[index].fields["stored"] = "\(expected - 1)"
    try write(changed)
    #expect(try audit("--quiet").status == 0)
    let rows = try scratch.report().findingRows
    #expect(rows.count == 1)
    let row = try #require(rows.first)
    #expect(row["code"] == "counter.server_mismatch" && row["severity"] == "medium")
    #expect(row["line"] == "\(index + 1)" && row["key_id"] == changed[index].keyHex)
    #expect(row["counter"] == "\(changed[index].counter)" && row["expected"] == "\(expected)")
    #expect(row["related_source"] == "" && row["related_line"] == "")
    #expect(
      row["detail"] == "The server had stored the counter \(expected - 1), not \(expected).")
  }

  @Test func `what the server rejected it did not store, and two requests at once read one value`()
    throws
  {
    let key = try #require(lines.first { !$0.isAttestation }?.keyHex)
    let own = lines.indices.filter { !lines[$0].isAttestation && lines[$0].keyHex == key }
    #expect(own.count > 3)
    try write(lines)
    _ = try audit("--quiet", "--verdicts")
    let time = try #require(try scratch.report().verdictRows[own[1]]["time"])
    var changed = lines
    // The second is rejected. The fourth comes a moment after the third, and both find the first's.
    changed[own[1]].fields["status"] = 403
    for index in [own[2], own[3]] { changed[index].fields["time"] = time }
    let stored = [0] + [Int](repeating: lines[own[0]].counter, count: 3)
    for (index, counter) in zip(own, stored) { changed[index].fields["stored"] = counter }
    try write(changed)
    #expect(try audit("--quiet").status == 0)
    #expect(
      try scratch.report().findings == ["low decision.rejected_valid log.jsonl:\(own[1] + 1)"])
  }

  @Test func `DeviceCheck tokens are counted, and nothing else`() throws {
    try write(Array(lines.prefix(1)))
    let log = try scratch.bytes("log.jsonl")
    let check = #"{"route":"check","time":1772359200000,"object":"AgAAAA=="}"# + "\n"
    try scratch.write("log.jsonl", log + Array((check + check + #"{"route":"else"}"#).utf8))
    let outcome = try audit("--verdicts", "--fail-on", "info")
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    let report = scratch.report()
    let records = try report.summary.records
    #expect(records["deviceCheckTokens"] == 2 && records["skipped"] == 1 && records["lines"] == 4)
    #expect(try report.findings == [])
    #expect(
      try report.verdictRows.map { $0["verdict"] } == ["valid", "skipped", "skipped", "skipped"])
    #expect(try report.verdictRows.map { $0["kind"] } == ["attestation", "", "", ""])
  }
}
