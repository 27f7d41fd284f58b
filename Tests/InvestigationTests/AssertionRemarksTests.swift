import AppAttest
import AuditEngine
import AuditSettings
import OpenSSL
import Testing

@testable import Investigation

struct AssertionRemarksTests {
  private let key: MadeKey
  private let other: MadeKey
  private var inspector: Inspector

  init() throws {
    key = try MadeKey(7)
    other = try MadeKey(9)
    inspector = try Inspector(MadeKey.settings)
    inspector.keys[key.id] = KnownKey(
      keyID: key.id, publicKey: key.point, appID: MadeKey.app)
  }

  private func inspect(
    signed hash: [UInt8], payload: String, more: [String: String] = [:], once: Bool = false
  ) throws -> Inspection {
    let token = try key.assertion(over: hash, once: once)
    return inspector.inspect(line: try key.line(token, payload: payload, more: more))[0]
  }

  /// Expects the signature to fail, and one remark to say why.
  private func expect(
    _ inspection: Inspection, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      inspection.failures.map(\.code) == ["assertion.signature_invalid"],
      sourceLocation: sourceLocation)
    #expect(
      inspection.remarks.contains { $0.contains(words) }, "\(inspection.remarks)",
      sourceLocation: sourceLocation)
  }

  @Test func `an honest assertion passes every check that could be run`() throws {
    let inspection = try inspect(signed: sha256("pay 1"), payload: "pay 1")
    #expect(inspection.failures.isEmpty)
    #expect(inspection.remarks.isEmpty)
    #expect(
      inspection.steps.first { $0.code == "assertion.signature_invalid" }?.outcome == .passed)
    #expect(inspection.verdict.hasPrefix("No check failed"))
  }

  @Test func `a signature over another field names the field`() throws {
    let inspection = try inspect(
      signed: sha256("c-123"), payload: "pay 1", more: ["session": "c-123"])
    expect(inspection, "the SHA-256 of the field session")
  }

  @Test func `a message that was hashed once is told`() throws {
    expect(
      try inspect(signed: sha256("pay 1"), payload: "pay 1", once: true),
      "hashed once instead of twice")
  }

  @Test func `client data that was hashed twice is told`() throws {
    let twice = Digest256.sha256(sha256("pay 1").span).bytes
    expect(try inspect(signed: twice, payload: "pay 1"), "hashed once more")
  }

  @Test(arguments: [
    (#"{"b":1,"a":[1,2.50]}"#, #"{"a":[1,2.50],"b":1}"#, "with its members sorted"),
    (#"{"a": 1, "b": "x"}"#, #"{"a":1,"b":"x"}"#, "with no spaces"),
    (#"{"a":1,"b":"x"}"#, #"{"a": 1, "b": "x"}"#, "with spaces after commas"),
    (#"{"u":"/pay"}"#, #"{"u":"\/pay"}"#, "slashes escaped"),
    ("a b+c", "a+b+c", "which form decoding ate"),
    ("a%2Bb", "a+b", "with percent signs decoded"), ("cGF5", "pay", "decoded from base64"),
  ])
  func `a text in other words is told`(_ payload: String, _ signed: String, _ words: String) throws
  {
    expect(try inspect(signed: sha256(signed), payload: payload), words)
  }

  @Test func `another known key is named with what the report says of it`() throws {
    let token = try other.assertion(over: sha256("pay 1"))
    var inspector = inspector
    let id = other.id
    inspector.knowledge = { $0 == id ? "attested for \(MadeKey.app) in this report" : nil }
    let inspection = inspector.inspect(line: try key.line(token, payload: "pay 1"))[0]
    expect(inspection, "under another key: \(id.hex), attested for \(MadeKey.app)")
  }

  @Test func `nothing is made up where nothing fits`() throws {
    expect(try inspect(signed: sha256("other"), payload: "pay 1"), "No change makes it valid")
  }

  @Test func `an unknown key is not checked, and its own signature is told`() throws {
    let inspector = try Inspector(MadeKey.settings)
    let token = try key.assertion(over: sha256("pay 1"))
    let inspection = inspector.inspect(line: try key.line(token, payload: "pay 1"))[0]
    #expect(inspection.failures.isEmpty)
    #expect(
      inspection.steps.first { $0.code == "assertion.signature_invalid" }?.outcome == .notChecked)
    #expect(inspection.remarks.contains { $0.contains("only the key's attestation is missing") })
  }

  @Test func `an app that is not the key's is a failure, as the audit has it`() throws {
    let token = try key.assertion(over: sha256("pay 1"), app: "TEAM.com.example.other")
    let inspection = inspector.inspect(line: try key.line(token, payload: "pay 1"))[0]
    #expect(inspection.failures.map(\.code) == ["assertion.app_id_mismatch"])
  }

  @Test func `an app that is not configured is found among the line's texts`() throws {
    let token = try key.assertion(over: sha256("pay 1"), app: "TEAM.com.example.beta")
    let line = try key.line(token, payload: "pay 1", more: ["bundle": "TEAM.com.example.beta"])
    let inspection = inspector.inspect(line: line)[0]
    #expect(inspection.remarks.contains { $0.contains("the field bundle, were a configured app") })
  }

  @Test func `no bytes at all trap it`() throws {
    let token = try key.assertion(over: sha256("pay 1"))
    let line = try key.line(token, payload: #"{"a":[{}],"b":"%"}"#)
    for place in stride(from: 0, to: token.count, by: 3) {
      var damaged = token
      damaged[place] ^= 0xA5
      _ = inspector.inspect(
        assertion: damaged, InspectedRecord(clientDataHash: [1, 2]), line: line)
      _ = inspector.inspect(assertion: Array(token[..<place]), InspectedRecord(), line: line)
      _ = inspector.inspect(attestation: damaged, InspectedRecord(), line: line)
      #expect(inspector.inspect(receipt: damaged, at: nil) == nil)
    }
    for place in stride(from: 0, to: line.count, by: 7) {
      _ = inspector.inspect(line: Array(line[..<place]))
    }
    #expect(
      inspector.inspect(line: line, isCut: true)[0].failures.map(\.code) == [
        "record.malformed_json"
      ])
  }
}
