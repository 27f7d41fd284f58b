import TestSupport
import Testing

@testable import AuditLog

private let key = sampleKey

/// Lines read through a schema of one rule.
@Suite struct `Schema reading` {
  // MARK: The default schema among others

  @Test func `the default schema as a definition is the default schema`() throws {
    let compiled = try CompiledSchema(.standard)
    #expect(compiled.isStandard)
    #expect(LogSchema.standard.pointers(of: .keyId) == [pointer("/keyId")])
  }

  @Test func `fields at other places are judged as those of the default schema`() throws {
    // The same mapping one level deeper: nothing but names of fields in reasons may differ.
    var fields: [LogField: FieldMapping] = [:]
    for field in LogField.allCases { fields[field] = at("/r/\(field.name)") }
    let reader = try SchemaReader(fields, kind: .inferred)
    let values = [
      "time": ["1", "\"2026-03-01T00:00:00Z\"", "\"never\"", "null", "true", "{}"],
      "kind": ["\"assertion\"", "\"attestation\"", "\"challenge\"", "\"x\"", "null", "3"],
      "keyId": ["\"\(key)\"", "\"AAAA\"", "\"!\"", "7", "null"],
      "token": ["\"oA==\"", "\"oQ==\"", "\"?\"", "[]", "null"],
      "challenge": ["\"c\"", "\"\"", "5", "null"],
      "payload": ["\"p\"", "\"\"", "{}", "null"],
      "clientData": ["\"cA==\"", "\"Yw==\"", "\"?\"", "1", "null"],
      "clientDataHash": ["\"\(key)\"", "\"AAAA\"", "\"?\"", "false", "null"],
      "appId": ["\"A.b\"", "1"], "subject": ["\"s\"", "17", "[]"],
      "requestId": ["1.5e3", "\"\\u0041\""], "decision": ["\"accepted\"", "\"no\"", "200"],
      "platform": ["\"ios\"", "\"android\"", "1"],
      "format": ["\"apple-app-attest\"", "\"x\"", "{}"],
    ]
    var random = Generator(11)
    var outcomes: [String: Int] = [:]
    for _ in 0..<6000 {
      var members: [String] = []
      for (name, choices) in values.sorted(by: { $0.key < $1.key }) {
        let isUsual = ["time", "keyId", "token"].contains(name)
        guard random.below(isUsual ? 12 : 3) < (isUsual ? 11 : 1) else { continue }
        let choice = isUsual && random.below(6) > 0 ? 0 : random.below(choices.count)
        members.append("\"\(name)\":\(choices[choice])")
        if random.below(60) == 0 { members.append("\"\(name)\":1") }
      }
      let object = "{\(members.joined(separator: ","))}"
      var plain = readRecord(object)
      var mapped = reader("{\"r\":\(object)}")
      outcomes[plain.outcome, default: 0] += 1
      if plain.reason.contains("The field ") {
        let name = plain.reason.split(separator: " ")[2]
        #expect(
          mapped.reason.hasPrefix("The field \(name) (/r/\(name)) ")
            || plain.reason.contains("twice"), "\(object): \(mapped.reason)")
      }
      plain.reason = ""
      mapped.reason = ""
      #expect(plain == mapped, "\(object)")
    }
    for outcome in [
      "skipped", "missingField", "badEncoding", "ambiguousField", "assertion", "attestation",
    ] {
      #expect(outcomes[outcome, default: 0] > 20, "\(outcome)")
    }
  }

  // MARK: Reasons

  @Test(arguments: [
    ("{\"t\":1,\"b\":{}}", "missingField", "The field keyId (/b/key) is missing."),
    ("{\"b\":{\(assertionParts)}}", "missingField", "The field time (/t) is missing."),
    ("{\"t\":1}", "missingField", "The field keyId (/b/key) is missing."),
    ("{\"t\":1,\"b\":17}", "missingField", "The field keyId (/b/key) is missing."),
    ("{\"t\":1,\"b\":\"key=1\"}", "missingField", "The field keyId (/b/key) is missing."),
    ("{\"t\":1,\"b\":\"\"}", "missingField", "The field keyId (/b/key) is missing."),
    (
      "{\"t\":1,\"b\":{\"key\":5,\"tok\":\"\",\"data\":\"\"}}", "missingField",
      "The field keyId (/b/key) has the wrong type."
    ),
    (
      "{\"t\":1,\"b\":{\"key\":\"\(key)\",\"tok\":\"oA==\"}}", "missingField",
      "The field clientData (/b/data) is missing."
    ),
    (
      "{\"t\":1,\"b\":{\"key\":\"AAAA\",\"tok\":\"oA==\",\"data\":\"\"}}", "badEncoding",
      "The field keyId (/b/key) has 3 bytes, not 32."
    ),
    (
      "{\"t\":1,\"b\":{\"key\":\"\(key)\",\"tok\":\"!\",\"data\":\"\"}}", "badEncoding",
      "The field token (/b/tok) is not base64."
    ),
    (
      "{\"t\":\"x\",\"b\":{\(assertionParts)}}", "badEncoding",
      "The field time (/t) is neither RFC 3339 with an offset nor a time in range."
    ),
    ("{\"t\":1,\"t\":1,\"b\":{}}", "ambiguousField", "The field time (/t) occurs twice."),
    (
      "{\"t\":1,\"b\":{},\"b\":{\(assertionParts)}}", "ambiguousField",
      "The field keyId (/b) occurs twice."
    ),
    (
      "{\"t\":1,\"b\":{\(assertionParts),\"tok\":\"\"}}", "ambiguousField",
      "The field token (/b/tok) occurs twice."
    ),
    (
      "{\"t\":true,\"b\":\"{\\\"tok\\\":1,\\\"tok\\\":2}\"}", "ambiguousField",
      "The field token (/b/tok) occurs twice."
    ),
    ("{\"t\":1,", "malformedJSON", "The line ends early: its object is not complete at byte 7."),
    ("[]", "malformedJSON", "The line is not JSON: byte 0 cannot be part of an object."),
  ])
  func `a reject names the field and where it was looked for`(
    _ line: String, _ outcome: String, _ reason: String
  ) throws {
    let read = try SchemaReader(assertionFields)(line)
    #expect(read.outcome == outcome)
    #expect(read.reason == reason)
  }

  @Test func `a body in a string is read like one that is an object`() throws {
    let reader = try SchemaReader(assertionFields)
    let plain = reader("{\"t\":1,\"b\":{\(assertionParts)}}")
    #expect(plain.outcome == "assertion" && plain.clientData == utf8("p"))
    #expect(reader("{\"t\":1,\"b\":\(quoted("{\(assertionParts)}"))}") == plain)
    #expect(
      reader("{\"t\":1,\"b\":\(quoted(quoted("{\(assertionParts)}")))}").outcome == "missingField")
  }

  // MARK: Several pointers

  @Test func `the first pointer that is present wins`() throws {
    var fields = assertionFields
    fields[.keyId] = at("/k1", "/k2", "/k3")
    let reader = try SchemaReader(fields)
    let rest = "\"t\":1,\"b\":{\"tok\":\"oA==\",\"data\":\"\"}"
    let zeros = [UInt8](repeating: 0, count: 32)
    #expect(reader("{\"k2\":\"\(key)\",\(rest)}").keyID == zeros)
    #expect(reader("{\"k1\":null,\"k3\":\"\(key)\",\(rest)}").keyID == zeros)
    // A value that cannot be used wins all the same: nothing is guessed.
    #expect(
      reader("{\"k2\":\"\(key)\",\"k1\":\"!\",\(rest)}").reason
        == "The field keyId (/k1) is not base64.")
    #expect(
      reader("{\"k2\":{},\"k3\":\"\(key)\",\(rest)}").reason
        == "The field keyId (/k2) has the wrong type.")
    #expect(reader("{\(rest)}").reason == "The field keyId (/k1, /k2, /k3) is missing.")
  }

  // MARK: Encodings

  @Test(
    arguments: [
      (FieldEncoding.base64, "AP8", [0, 255]), (.base64, "AP8=", [0, 255]),
      (.base64url, "_-8=", [255, 239]), (.base64, "_-8", [255, 239]),
      (.base64url, "/+8", [255, 239]),
      (.hex, "00Ff", [0, 255]), (.hex, "", []), (.hex, "0", nil), (.hex, "0g", nil),
      (.utf8, "AP8=", Array("AP8=".utf8)), (.utf8, "", []), (.auto, "AP8", [0, 255]),
      (.base64, "A", nil), (.base64, "A===", nil), (.base64, "AP8==", [0, 255]), (.base64, "ÿ", []),
      (.raw, "AP8=", Array("\"AP8=\"".utf8)),
    ] as [(FieldEncoding, String, [UInt8]?)])
  func `client data is decoded as the schema says`(
    _ encoding: FieldEncoding, _ text: String, _ bytes: [UInt8]?
  ) throws {
    var fields = assertionFields
    fields[.clientData] = at("/d", encoding: encoding)
    let read = try SchemaReader(fields)("{\"t\":1,\"b\":{\(assertionParts)},\"d\":\(quoted(text))}")
    #expect(read.clientData == bytes)
    #expect(read.outcome == (bytes == nil ? "badEncoding" : "assertion"))
  }

  @Test func `a challenge may be bytes`() throws {
    var fields = assertionFields
    fields[.clientData] = nil
    fields[.challenge] = at("/c", encoding: .base64)
    let reader = try SchemaReader(fields, kind: .fixed(.attestation))
    let read = reader("{\"t\":1,\"b\":{\(assertionParts)},\"c\":\"AP8=\"}")
    #expect(read.outcome == "attestation" && read.clientData == [0, 255] && read.isChallenge)
    #expect(
      reader("{\"t\":1,\"b\":{\(assertionParts)},\"c\":\"textA!\"}").reason
        == "The field challenge (/c) is not base64.")
    #expect(
      reader("{\"t\":1,\"b\":{\(assertionParts)}}").reason == "The field challenge (/c) is missing."
    )
  }

  @Test func `two texts of client data are compared by what they decode to`() throws {
    var fields = assertionFields
    fields[.payload] = at("/p", encoding: .hex)
    let reader = try SchemaReader(fields)
    #expect(reader("{\"t\":1,\"b\":{\(assertionParts)},\"p\":\"70\"}").clientData == utf8("p"))
    let other = reader("{\"t\":1,\"b\":{\(assertionParts)},\"p\":\"71\"}")
    #expect(other.outcome == "ambiguousField")
    #expect(
      other.reason == "The field clientData (/b/data) contains other bytes than payload (/p).")
    #expect(reader("{\"t\":1,\"b\":{\(assertionParts)},\"p\":\"7\"}").outcome == "badEncoding")
  }

  @Test func `raw client data is what stands in the line, of whatever type`() throws {
    var fields = assertionFields
    fields[.clientData] = at("/d", encoding: .raw)
    let reader = try SchemaReader(fields)
    for value in ["{ \"a\": [1 , 2] }", "[ ]", "1.50", "true", "\"\\u0041\"", "\"\""] {
      #expect(
        reader("{\"t\":1,\"b\":{\(assertionParts)},\"d\": \(value) }").clientData == utf8(value))
    }
    #expect(reader("{\"t\":1,\"b\":{\(assertionParts)},\"d\":null}").outcome == "missingField")
  }

  // MARK: Hash formation

  @Test func `client data that is the hash is as long as one`() throws {
    for (count, isTaken) in [
      (0, false), (15, false), (16, true), (32, true), (255, true), (256, false),
    ] {
      var fields = assertionFields
      fields[.clientData] = at("/d", encoding: .utf8)
      let text = String(repeating: "x", count: count)
      let line = "{\"t\":1,\"b\":{\(assertionParts)},\"d\":\"\(text)\"}"
      let read = try SchemaReader(fields, formation: .raw)(line)
      #expect(read.dataIsHash == isTaken)
      #expect(read.outcome == (isTaken ? "assertion" : "badEncoding"))
      if !isTaken {
        #expect(read.reason == "The field clientData (/d) has \(count) bytes, not 16 to 255.")
      }
      let hashed = try SchemaReader(fields)(line)
      #expect(hashed.outcome == "assertion" && !hashed.dataIsHash)
    }
  }

  // MARK: Times

  @Test(
    arguments: [
      (TimeUnit.s, "1772359200", 1_772_359_200_000), (.s, "1772359200.2509", 1_772_359_200_250),
      (.s, "\"1772359200.25\"", 1_772_359_200_250), (.s, "99999999999", 99_999_999_999_000),
      (.s, "-1.5", -1500), (.s, "-0.0001", -1), (.s, "1e3", 1_000_000), (.s, "0", 0),
      (.ms, "1772359200250", 1_772_359_200_250), (.ms, "5", 5), (.ms, "0.9", 0),
      (.ms, "\"17\"", 17), (.us, "1772359200250999", 1_772_359_200_250), (.us, "999", 0),
      (.us, "-1", -1), (.ns, "1772359200250999999", 1_772_359_200_250), (.ns, "999999", 0),
      (.ns, "1.772359200250999999e18", 1_772_359_200_250), (.ns, "1000000", 1),
      (.rfc3339, "\"2026-03-01T10:00:00.250Z\"", 1_772_359_200_250),
      (.s, "\"\"", nil), (.s, "\" 1\"", nil), (.s, "\"1 \"", nil), (.s, "\"+1\"", nil),
      (.s, "\"01\"", nil), (.s, "\"1.\"", nil), (.s, "\".5\"", nil), (.s, "\"1e\"", nil),
      (.s, "\"0x10\"", nil), (.s, "\"-\"", nil), (.s, "\"NaN\"", nil), (.s, "\"1,5\"", nil),
      (.s, "\"١\"", nil), (.s, "\"2026-03-01T10:00:00Z\"", nil), (.s, "1e300", nil),
      (.s, "999999999999", nil), (.ms, "1e999999999999999999999", nil),
      (.ms, "253402300800000", nil), (.rfc3339, "\"1772359200\"", nil), (.rfc3339, "\"\"", nil),
    ] as [(TimeUnit, String, Int64?)])
  func `a time is counted in its unit`(
    _ unit: TimeUnit, _ value: String, _ milliseconds: Int64?
  ) throws {
    var fields = assertionFields
    fields[.time] = FieldMapping(.pointers([pointer("/t")]), unit: unit)
    let read = try SchemaReader(fields)("{\"t\":\(value),\"b\":{\(assertionParts)}}")
    if let milliseconds {
      #expect(read.outcome == "assertion")
      #expect(read.time == milliseconds)
    } else {
      #expect(read.outcome == "badEncoding")
      #expect(read.reason.hasPrefix("The field time (/t) is no"), "\(read.reason)")
    }
  }

  @Test func `a time by RFC 3339 is no number, and no time is anything else`() throws {
    for unit in TimeUnit.allCases {
      var fields = assertionFields
      fields[.time] = FieldMapping(.pointers([pointer("/t")]), unit: unit)
      let reader = try SchemaReader(fields)
      for value in ["true", "{}", "[1]"] + (unit == .rfc3339 ? ["1772359200"] : []) {
        #expect(
          reader("{\"t\":\(value),\"b\":{\(assertionParts)}}").reason
            == "The field time (/t) has the wrong type.")
      }
    }
  }

  // MARK: Templates and constants

  @Test func `a template is put together from the line`() throws {
    var fields = assertionFields
    fields[.clientData] = FieldMapping(
      .template([
        .pointer(pointer("/m")), .text(" é{"), .pointer(pointer("/q/path")), .text("}"),
        .pointer(pointer("/m")),
      ]))
    let reader = try SchemaReader(fields)
    func read(_ members: String) -> ReadRecord {
      reader("{\"t\":1,\"b\":{\(assertionParts)},\(members)}")
    }
    #expect(
      read("\"m\":\"P\\u00d6\",\"q\":{\"path\":1.50}").clientData == utf8("PÖ é{1.50}PÖ"))
    #expect(read("\"m\":\"\",\"q\":\"{\\\"path\\\":\\\"\\\"}\"").clientData == utf8(" é{}"))
    #expect(read("\"q\":{\"path\":1}").reason == "The field clientData (/m) is missing.")
    #expect(read("\"m\":null,\"q\":{\"path\":1}").reason == "The field clientData (/m) is missing.")
    #expect(read("\"m\":\"a\"").reason == "The field clientData (/q/path) is missing.")
    #expect(
      read("\"m\":\"a\",\"q\":{\"path\":[1]}").reason
        == "The field clientData (/q/path) has the wrong type.")
    #expect(
      read("\"m\":true,\"q\":{\"path\":1}").reason
        == "The field clientData (/m) has the wrong type.")
    let large = String(repeating: "x", count: 3_000_000)
    #expect(read("\"m\":\"\(large)\",\"q\":{\"path\":\"\"}").clientData?.count == 6_000_005)
    #expect(read("\"m\":\"a\",\"q\":{\"path\":\"\"}").clientData == utf8("a é{}a"))
  }

  @Test func `a token is put together from a signature and authenticator data`() throws {
    var fields = assertionFields
    fields[.token] = FieldMapping(
      .template([
        .pointer(pointer("/s"), .signature), .pointer(pointer("/a"), .authenticatorData),
      ]))
    let reader = try SchemaReader(fields)
    func read(_ members: String) -> ReadRecord {
      reader("{\"t\":1,\"b\":{\(assertionParts)}\(members)}")
    }
    #expect(
      read(#","a":"_w==","s":"AQI""#).token
        == [0xA2, 0x69] + utf8("signature") + [0x5A, 0, 0, 0, 2, 1, 2, 0x71]
        + utf8("authenticatorData") + [0x5A, 0, 0, 0, 1, 0xFF])
    #expect(read(#","s":"","a":"""#).token.count == 2 + 9 + 5 + 1 + 17 + 5)
    #expect(read("").reason == "The field token (/s, /a) is missing.")
    #expect(read(#","s":"AQI""#).reason == "The field token (/a) is missing.")
    for value in ["1", "\"?\"", "[1]", "{}", "true", "\"\\u00ff\""] {
      #expect(
        read(",\"s\":\"AQI\",\"a\":\(value)").reason
          == "The field token (/a) has the wrong type.")
    }
  }

  @Test func `a constant is the same in every record`() throws {
    var fields = assertionFields
    fields[.appId] = FieldMapping(.constant("A.b"))
    fields[.decision] = FieldMapping(.constant("accepted"))
    let read = try SchemaReader(fields)("{\"t\":1,\"b\":{\(assertionParts)},\"appId\":\"C.d\"}")
    #expect(read.appID == "A.b" && read.decision == .accepted)
  }

  // MARK: Devices and counters

  @Test func `an assertion may name its device instead of its key`() throws {
    var fields = assertionFields
    fields[.deviceId] = at("/dev")
    let reader = try SchemaReader(fields)
    let rest = "\"t\":1,\"b\":{\"tok\":\"oA==\",\"data\":\"\"}"
    let named = reader("{\"dev\":\"d-\\u0031\",\(rest)}")
    #expect(named.outcome == "assertion" && named.keyID == nil && named.deviceID == "d-1")
    #expect(reader("{\"dev\":17,\(rest)}").deviceID == "17")
    #expect(reader("{\(rest)}").reason == "The field keyId (/b/key) is missing.")
    #expect(reader("{\"dev\":null,\(rest)}").outcome == "missingField")
    for value in ["{}", "[]", "true"] {
      #expect(
        reader("{\"dev\":\(value),\(rest)}").reason
          == "The field deviceId (/dev) has the wrong type.")
    }
    let both = reader("{\"dev\":\"d\",\"t\":1,\"b\":{\(assertionParts)}}")
    #expect(both.keyID?.count == 32 && both.deviceID == "d")
    #expect(
      reader("{\"dev\":\"d\",\"t\":1,\"b\":{\"key\":\"!\",\"tok\":\"oA==\",\"data\":\"\"}}").outcome
        == "badEncoding")
    #expect(
      reader("{\"dev\":\"d\",\"t\":1,\"b\":{\"key\":7,\"tok\":\"oA==\",\"data\":\"\"}}").outcome
        == "missingField")
    // An attestation says which key the device has.
    var attested = fields
    attested[.clientData] = nil
    attested[.challenge] = at("/b/data")
    #expect(
      try SchemaReader(attested, kind: .fixed(.attestation))("{\"dev\":\"d\",\(rest)}").outcome
        == "missingField")
  }

  @Test(
    arguments: [
      ("0", 0), ("4294967295", 4_294_967_295), ("\"17\"", 17), ("\"007\"", 7), ("null", nil),
    ] as [(String, UInt32?)])
  // records.R78.
  func `the server's counter is a whole number`(_ value: String, _ counter: UInt32?) throws {
    var fields = assertionFields
    fields[.serverCounter] = at("/n")
    let read = try SchemaReader(fields)("{\"n\":\(value),\"t\":1,\"b\":{\(assertionParts)}}")
    #expect(read.outcome == "assertion")
    #expect(read.serverCounter == counter)
  }

  @Test(arguments: [
    "-1", "4294967296", "1.0", "1e3", "\"\"", "\" 1\"", "\"+1\"", "\"-0\"", "\"1.5\"", "\"0x1\"",
    "\"99999999999999999999\"", "\"١\"", "\":\"", "\"1:\"", "\"/\"",
  ])
  func `what is no counter is no record`(_ value: String) throws {
    var fields = assertionFields
    fields[.serverCounter] = at("/n")
    let read = try SchemaReader(fields)("{\"n\":\(value),\"t\":1,\"b\":{\(assertionParts)}}")
    #expect(
      read.reason == "The field serverCounter (/n) is not a whole number from 0 to 4294967295.")
    #expect(read.outcome == "badEncoding")
  }
}
