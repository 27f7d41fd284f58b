import TestSupport
import Testing

@testable import AuditLog

/// Decisions and kinds by tables of values, and DeviceCheck tokens.
extension `Schema reading` {
  private func decision(_ value: String, otherwise: String? = nil) throws -> ReadRecord {
    var fields = assertionFields
    fields[.decision] = FieldMapping(
      .pointers([pointer("/d")]),
      values: ValueTable(
        [
          .init("2xx", "accepted"), .init("204", "rejected"), .init("4xx", "rejected"),
          .init("ok", "accepted"), .init("true", "accepted"), .init("", "unknown"),
          .init("5xx", "unknown"),
        ], otherwise: otherwise))
    return try SchemaReader(fields)("{\"t\":1,\"b\":{\(assertionParts)},\"d\":\(value)}")
  }

  @Test(arguments: [
    ("200", Decision.accepted), ("\"299\"", .accepted), ("204", .rejected), ("404", .rejected),
    ("\"ok\"", .accepted), ("true", .accepted), ("\"true\"", .accepted), ("\"\"", .unknown),
    ("500", .unknown), ("null", .unknown),
  ])
  func `a decision is what the value stands for`(_ value: String, _ meant: Decision) throws {
    let read = try decision(value)
    #expect(read.outcome == "assertion")
    #expect(read.decision == meant)
  }

  @Test(arguments: [
    "302", "\"OK\"", "\"accepted\"", "\"rejected\"", "false", "2e2", "200.0", "20", "2000",
    "\"2xx\"",
    "\"2ab\"", "\"ok \"", "-200", "600", "\"099\"",
  ])
  func `a value that is not listed is no decision`(_ value: String) throws {
    let read = try decision(value)
    #expect(read.outcome == "badEncoding")
    #expect(read.reason == "The field decision (/d) contains an unknown word.")
    #expect(try decision(value, otherwise: "rejected").decision == .rejected)
    #expect(try decision(value, otherwise: "unknown").decision == .unknown)
  }

  @Test(arguments: ["{}", "[]", "[200]", "{\"status\":200}"])
  func `an object or array stands for nothing`(_ value: String) throws {
    for otherwise in [nil, "accepted"] {
      #expect(
        try decision(value, otherwise: otherwise).reason
          == "The field decision (/d) has the wrong type.")
    }
  }

  // MARK: Kinds

  @Test func `a kind that is mapped is what its value stands for`() throws {
    var fields = assertionFields
    fields[.challenge] = at("/c")
    fields[.kind] = FieldMapping(
      .pointers([pointer("/e")]),
      values: ValueTable([
        .init("attest", "attestation"), .init("request", "assertion"), .init("new", "challenge"),
        .init("dc", "deviceCheckToken"),
      ]))
    let reader = try SchemaReader(fields, kind: .mapped)
    let rest = "\"t\":1,\"b\":{\(assertionParts)}"
    #expect(reader("{\"e\":\"attest\",\(rest)}").outcome == "attestation")
    #expect(reader("{\"e\":\"request\",\(rest)}").outcome == "assertion")
    #expect(reader("{\"e\":\"new\",\"c\":\"n\",\(rest)}").outcome == "ambiguousField")
    #expect(reader("{\"e\":\"new\",\"c\":\"n\",\"t\":1}").outcome == "challenge")
    #expect(reader("{\"e\":\"dc\",\(rest)}").outcome == "deviceCheckToken")
    #expect(
      reader("{\"e\":\"dc\",\"t\":1}").reason == "The field token (/b/tok) is missing.")
    #expect(reader("{\"e\":\"new\",\"t\":1}").reason == "The field challenge (/c) is missing.")
    #expect(reader("{\(rest)}").reason == "The field kind (/e) is missing.")
    #expect(reader("{\"e\":{},\(rest)}").reason == "The field kind (/e) has the wrong type.")
    #expect(
      reader("{\"e\":\"assertion\",\(rest)}").reason
        == "The field kind (/e) contains an unknown word."
    )
    // What is missing comes before what cannot be decoded.
    #expect(reader("{\"e\":\"other\"}").reason == "The field time (/t) is missing.")
  }

  @Test func `a DeviceCheck token has to be there, and nothing else`() throws {
    let reader = try SchemaReader(
      [.token: at("/body/device_token")], kind: .deviceCheckToken)
    #expect(reader("{\"body\":{\"device_token\":\"no base64!\"}}").outcome == "deviceCheckToken")
    for body in ["{}", "{\"device_token\":null}", "{\"device_token\":1}", "\"text\"", "null"] {
      #expect(reader("{\"body\":\(body)}").outcome == "missingField", "\(body)")
    }
    #expect(
      reader("{\"body\":{\"device_token\":\"a\",\"device_token\":\"a\"}}").outcome
        == "ambiguousField")
  }
}
