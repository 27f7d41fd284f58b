import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Record reader` {
  // MARK: Kind

  @Test(arguments: [
    ("\"challenge\":\"c\"", "attestation"),
    ("\"challenge\":\"c\",\"clientData\":\"Yw==\"", "attestation"),
    ("\"challenge\":\"c\",\"clientDataHash\":\"\(sampleKey)\"", "attestation"),
    ("\"payload\":\"p\"", "assertion"),
    ("\"clientData\":\"cA==\"", "assertion"),
    ("\"clientDataHash\":\"\(sampleKey)\"", "assertion"),
    ("\"payload\":\"p\",\"clientData\":\"cA==\",\"clientDataHash\":\"\(sampleKey)\"", "assertion"),
    ("\"payload\":\"p\",\"challenge\":null", "assertion"),
    ("\"challenge\":\"c\",\"payload\":null", "attestation"),
    ("\"challenge\":\"\"", "attestation"),
    ("\"payload\":\"\"", "assertion"),
    ("\"kind\":null,\"payload\":\"p\"", "assertion"),
    ("\"kind\":\"assertion\",\"payload\":\"p\",\"challenge\":\"c\"", "assertion"),
    ("\"kind\":\"attestation\",\"payload\":\"p\",\"challenge\":\"c\"", "attestation"),
    ("\"kind\":\"attestation\",\"clientData\":\"cA==\"", "attestation"),
    ("\"kind\":\"attestation\",\"clientDataHash\":\"\(sampleKey)\"", "attestation"),
    ("\"kind\":\"assertion\",\"clientDataHash\":\"\(sampleKey)\"", "assertion"),
    ("\"\\u006bind\":\"\\u0061ssertion\",\"payload\":\"p\"", "assertion"),
    // Said aloud, a challenge has no token.
    ("\"kind\":\"challenge\",\"challenge\":\"c\"", "ambiguousField"),
    ("\"\\u006bind\":\"\\u0063hallenge\",\"challenge\":\"c\"", "ambiguousField"),
    // Without a word and with both, two servers would read two different requests.
    ("\"challenge\":\"c\",\"payload\":\"p\"", "ambiguousField"),
    ("\"challenge\":\"p\",\"payload\":\"p\"", "ambiguousField"),
    ("\"challenge\":\"\",\"payload\":\"\"", "ambiguousField"),
    ("\"challenge\":1,\"payload\":[]", "ambiguousField"),
    ("\"x\":1", "missingField"),
    ("\"payload\":null,\"challenge\":null", "missingField"),
    ("\"kind\":\"attestation\",\"payload\":\"p\"", "missingField"),
    ("\"kind\":\"assertion\",\"challenge\":\"c\"", "missingField"),
    ("\"kind\":\"challenge\"", "ambiguousField"),
    ("\"kind\":\"challenge\",\"payload\":\"p\"", "ambiguousField"),
    ("\"kind\":1,\"payload\":\"p\"", "missingField"),
    ("\"kind\":true,\"payload\":\"p\"", "missingField"),
    ("\"kind\":{},\"payload\":\"p\"", "missingField"),
    ("\"kind\":\"\",\"payload\":\"p\"", "badEncoding"),
    ("\"kind\":\"Assertion\",\"payload\":\"p\"", "badEncoding"),
    ("\"kind\":\"assertion \",\"payload\":\"p\"", "badEncoding"),
    ("\"kind\":\"assertion\\u0000\",\"payload\":\"p\"", "badEncoding"),
    ("\"kind\":\"attest\",\"payload\":\"p\"", "badEncoding"),
    ("\"kind\":\"receipt\",\"payload\":\"p\"", "badEncoding"),
  ])
  func `the kind is what the record says, or what its fields show`(
    _ members: String, _ outcome: String
  ) {
    #expect(record(members).outcome == outcome)
  }

  @Test(arguments: [
    ("{\"time\":1,\"challenge\":\"c\"}", "challenge"),
    ("{\"time\":1,\"challenge\":\"c\",\"clientData\":{},\"payload\":\"\"}", "challenge"),
    ("{\"time\":1,\"challenge\":\"c\",\"token\":null}", "missingField"),
    ("{\"time\":1,\"challenge\":\"c\",\"Token\":\"oQ==\"}", "missingField"),
    ("{\"time\":1,\"challenge\":\"c\",\"to\u{212A}en\":\"oQ==\"}", "missingField"),
    ("{\"time\":1,\"challenge\":\"c\",\"keyId\":17,\"clientData\":{}}", "missingField"),
    ("{\"time\":1,\"challenge\":\"c\",\"keyId\":null}", "missingField"),
    ("{\"time\":1,\"challenge\":\"c\",\"decision\":null}", "missingField"),
    ("{\"time\":1,\"challenge\":\"c\",\"decision\":\"rejected\"}", "missingField"),
    ("{\"time\":1,\"challenge\":\"c\",\"platform\":\"ios\"}", "missingField"),
    ("{\"time\":1,\"challenge\":\"c\",\"format\":null}", "missingField"),
    ("{\"time\":1,\"challenge\":\"c\",\"kind\":\"challenge\",\"token\":null}", "challenge"),
    ("{\"time\":1,\"challenge\":\"c\",\"kind\":\"challenge\",\"keyId\":7}", "challenge"),
    ("{\"time\":1,\"kind\":\"challenge\"}", "missingField"),
    ("{\"time\":1,\"kind\":\"challenge\",\"payload\":\"p\"}", "missingField"),
    ("{\"time\":1,\"challenge\":17}", "missingField"),
    ("{\"challenge\":\"c\"}", "missingField"),
    ("{\"time\":1,\"payload\":\"p\",\"keyId\":\"\(sampleKey)\"}", "missingField"),
    (
      "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"kind\":\"assertion\",\"payload\":\"p\"}",
      "missingField"
    ),
    ("{\"time\":1,\"token\":\"oA==\",\"payload\":\"p\"}", "missingField"),
    ("{\"time\":1,\"token\":\"oA==\",\"challenge\":\"c\"}", "missingField"),
    ("{}", "missingField"),
    ("{\"x\":{\"time\":1,\"challenge\":\"c\"}}", "missingField"),
    ("{\"Time\":1,\"challenge\":\"c\"}", "missingField"),
  ])
  func `a record has the fields of its kind`(_ line: String, _ outcome: String) {
    #expect(readRecord(line).outcome == outcome)
  }

  // MARK: Types

  @Test(arguments: [
    "\"time\":null", "\"time\":true", "\"time\":{}", "\"time\":[1]", "\"keyId\":null",
    "\"keyId\":1", "\"keyId\":{}", "\"token\":null,\"kind\":\"assertion\"", "\"token\":1",
    "\"token\":[\"oA==\"]", "\"payload\":1", "\"payload\":{}", "\"payload\":[]",
    "\"payload\":false", "\"clientData\":1", "\"clientDataHash\":[null]",
    "\"clientDataHash\":false",
    "\"appId\":1", "\"appId\":{}", "\"subject\":{}", "\"subject\":true", "\"subject\":[1]",
    "\"requestId\":[]", "\"requestId\":false", "\"decision\":1", "\"decision\":true",
    "\"platform\":1", "\"platform\":[\"ios\"]", "\"format\":{}",
  ])
  func `a needed field of null or any field of the wrong type is missing`(_ member: String) {
    let name = member.prefix { $0 != ":" }
    let members = [
      "\"time\":1", "\"keyId\":\"\(sampleKey)\"", "\"token\":\"oA==\"", "\"payload\":\"p\"",
    ].filter { !$0.hasPrefix(name + ":") }
    let line = "{" + ([member] + members).joined(separator: ",") + "}"
    #expect(readRecord(line).outcome == "missingField", "\(line)")
  }

  @Test func `null is as good as absent`() {
    let names = ["clientData", "clientDataHash", "appId", "subject", "requestId", "decision"]
    let nulls = (names + ["kind", "platform", "format", "challenge"]).map { "\"\($0)\":null" }
    let full = record("\"payload\":\"p\"," + nulls.joined(separator: ","))
    #expect(full == record("\"payload\":\"p\""))
    #expect(full.outcome == "assertion")
    #expect(full.appID == nil && full.subject == nil && full.requestID == nil && full.hash == nil)
  }

  @Test func `numbers are texts where an identifier stands`() {
    let read = record("\"payload\":\"p\",\"requestId\":1.50E+2,\"subject\":-00")
    #expect(read.outcome == "malformedJSON")
    let good = record(
      "\"payload\":\"p\",\"requestId\":1.50E+2 ,\"subject\":12345678901234567890123")
    #expect(good.requestID == "1.50E+2")
    #expect(good.subject == "12345678901234567890123")
  }

  // MARK: Names that differ in case

  @Test(arguments: [
    "\"Token\":\"oQ==\"", "\"TOKEN\":null", "\"to\u{212A}en\":1", "\"to\\u212aen\":1",
    "\"decI\u{17F}ion\":1", "\"deci\\u017fion\":1", "\"KEYID\":1", "\"\u{212A}eyId\":{}",
    "\"Time\":2", "\"Payload\":\"q\"", "\"\\u0050ayload\":\"p\"",
  ])
  func `a field beside a name that differs in case is ambiguous, whichever comes first`(
    _ member: String
  ) {
    let fields = "\(base),\"payload\":\"p\",\"decision\":\"rejected\""
    #expect(readRecord("{\(fields),\(member)}").outcome == "ambiguousField")
    #expect(readRecord("{\(member),\(fields)}").outcome == "ambiguousField")
    #expect(
      readRecord("{\(member),\"platform\":\"android\",\(fields)}").outcome == "ambiguousField")
    #expect(readRecord("{\(fields),\"x\":{\(member)}}").outcome == "assertion")
  }

  @Test(arguments: [
    "\"Challenge\":\"c\"", "\"ClientData\":\"AA\"", "\"Platform\":\"android\"", "\"tokens\":1",
    "\"toke\":1", "\"tokеn\":1", "\"token \":1", "\"to\u{17F}en\":1", "\"\":1", "\"Ｔoken\":1",
    "\"tokén\":1", "\"Subject\":1,\"SUBJECT\":2",
  ])
  func `a name that differs in case from a field that is not there is unknown`(_ member: String) {
    #expect(record("\"payload\":\"p\",\(member)").outcome == "assertion")
  }

  @Test(arguments: [
    ("\"decision\":\"accepted\"", Decision.accepted), ("\"decision\":\"rejected\"", .rejected),
    ("\"decision\":\"Accepted\"", .unknown), ("\"decision\":7", .unknown),
    ("\"decision\":null", .unknown), ("\"x\":1", .unknown), ("\"Decision\":\"accepted\"", .unknown),
    ("\"decision\":\"accepted\",\"decision\":\"accepted\"", .unknown),
    ("\"decision\":\"accepted\",\"Decision\":\"x\"", .accepted),
    ("\"DECISION\":\"rejected\",\"decision\":\"accepted\"", .accepted),
    ("\"decision\":\"rejected\",\"Decision\":\"accepted\"", .rejected),
    ("\"decision\":\"accepted\",\"Decision\":\"x\",\"decision\":\"accepted\"", .unknown),
    ("\"decision\":null,\"Decision\":\"accepted\"", .unknown),
  ])
  func `a reject tells the decision where it can be read`(
    _ member: String, _ decision: Decision
  ) {
    for line in [
      "{\(base),\(member)}", "{\(base),\"payload\":\"p\",\"payload\":\"p\",\(member)}",
      "{\"time\":\"never\",\"token\":\"oQ==\",\"payload\":\"p\",\"keyId\":\"!\",\(member)}",
    ] {
      let read = readRecord(line)
      #expect(!["assertion", "malformedJSON"].contains(read.outcome))
      #expect(read.decision == decision, "\(line)")
    }
  }

  // MARK: Order of rejects

  @Test(arguments: [
    // Ambiguity first: the field that occurs twice, then two client data.
    ("{\"time\":\"never\",\"payload\":1,\"time\":2}", "ambiguousField"),
    ("{\"x\":1,\"decision\":\"?\",\"decision\":\"?\"}", "ambiguousField"),
    ("{\"platform\":\"android\",\"platform\":\"android\"}", "ambiguousField"),
    ("{\"platform\":\"android\",\"time\":1,\"\\u0074ime\":1}", "ambiguousField"),
    ("{\"token\":\"!\",\"challenge\":\"c\",\"payload\":\"p\"}", "ambiguousField"),
    (
      "{\"kind\":\"assertion\",\"payload\":\"p\",\"clientData\":\"cQ==\",\"time\":true}",
      "ambiguousField"
    ),
    ("{\"kind\":\"assertion\",\"payload\":\"p\",\"clientData\":\"cQ==\"}", "ambiguousField"),
    // Then what is missing or of the wrong type.
    ("{\"time\":\"never\",\"keyId\":\"!\",\"token\":\"!\",\"payload\":1}", "missingField"),
    (
      "{\"time\":\"never\",\"keyId\":\"!\",\"kind\":\"assertion\",\"payload\":\"p\"}",
      "missingField"
    ),
    ("{\"kind\":\"?\",\"challenge\":\"c\"}", "missingField"),
    ("{\"kind\":\"?\",\"time\":1,\"decision\":[]}", "missingField"),
    ("{\(base),\"payload\":\"p\",\"decision\":\"?\",\"subject\":{}}", "missingField"),
    ("{\(base),\"payload\":1,\"clientData\":\"!\"}", "missingField"),
    // Encoding last.
    ("{\"time\":\"never\",\"challenge\":\"c\"}", "badEncoding"),
    ("{\"kind\":\"?\",\"time\":\"never\"}", "badEncoding"),
    ("{\(base),\"payload\":\"p\",\"clientDataHash\":[]}", "badEncoding"),
    // What does not parse, even in the second reading, is nothing else.
    ("{\"time\":1,\"time\":2,}", "malformedJSON"),
    ("{\"platform\":\"android\",\"x\":NaN,}", "malformedJSON"),
  ])
  func `ambiguity comes before absence, absence before encoding`(_ line: String, _ outcome: String)
  {
    #expect(readRecord(line).outcome == outcome)
  }

  // MARK: Platforms

  @Test(arguments: [
    ("\"platform\":\"ios\"", "assertion", false), ("\"platform\":\"iOS\"", "assertion", false),
    ("\"platform\":\"IOS\",\"format\":\"Apple-App-Attest\"", "assertion", false),
    ("\"format\":\"apple-app-attest\"", "assertion", false),
    ("\"platform\":\"android\"", "skipped", false), ("\"platform\":\"\"", "skipped", false),
    ("\"platform\":\"ios \"", "skipped", false), ("\"platform\":\"ios\\u0000\"", "skipped", false),
    ("\"platform\":\"iſs\"", "skipped", false), ("\"format\":\"play-integrity\"", "skipped", false),
    ("\"platform\":\"ios\",\"format\":\"x\"", "skipped", false),
    ("\"platform\":\"x\",\"format\":\"apple-app-attest\"", "skipped", false),
  ])
  // records.R30.
  func `other platforms are skipped, case ignored`(
    _ members: String, _ outcome: String, _ isMismatch: Bool
  ) {
    let read = record("\"payload\":\"p\",\(members)")
    #expect(read.outcome == outcome)
    #expect(read.isMismatch == isMismatch)
  }

  // records.R31, records.R32.
  @Test func `a token of App Attest's is audited whatever platform the client wrote`() {
    for members in ["\"platform\":\"android\"", "\"format\":\"x\"", "\"platform\":\"\""] {
      let line = "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"payload\":\"p\",\(members),\"token\":"
      let audited = readRecord(line + "\"oQ==\"}")
      #expect(audited.outcome == "assertion" && audited.isMismatch && audited.token == [0xA1])
      #expect(audited.clientData == utf8("p"))
      for token in ["\"oA==\"", "\"!\"", "\"\"", "null", "\"eyJh.eyJi.c2ln\""] {
        #expect(readRecord(line + token + "}").outcome == "skipped", "\(token)")
      }
      // What is no text cannot be told to be something else.
      for token in ["1", "{}", "[\"oQ==\"]"] {
        #expect(readRecord(line + token + "}").outcome == "missingField", "\(token)")
      }
    }
    // It is a reject like any other, too.
    #expect(
      readRecord("{\"platform\":\"android\",\"token\":\"oQ==\",\"payload\":\"p\"}").outcome
        == "missingField")
    #expect(readRecord("{\"platform\":\"android\"}").outcome == "skipped")
    #expect(readRecord("{\"platform\":\"android\",\"time\":\"never\"}").outcome == "skipped")
    #expect(readRecord("{\"platform\":17}").outcome == "missingField")
  }

  // MARK: Hostile lines

  @Test func `mutated lines never crash the reader, and what it gives lies in the buffer`() {
    let lines = [
      "{\(base),\"payload\":\"p\\u0041\\ud83d\\ude00\",\"clientData\":\"cEHwn5iA\"}",
      "{\(base),\"challenge\":\"c\",\"clientDataHash\":\"\(sampleKey)\",\"decision\":\"accepted\"}",
      "{\"time\":\"2026-01-02T03:04:05.678+01:30\",\"challenge\":\"é\",\"x\":[1,{\"a\":null}]}",
      "{\(base),\"kind\":\"assertion\",\"payload\":\"\",\"platform\":\"android\",\"subject\":-1.5e3}",
    ].map { Array($0.utf8) }
    let pieces =
      ["\"", "\\", "{", "}", "[", "]", ",", ":", "\\ud800", "null", "e9", "\u{0}", "\n"]
      .map { Array($0.utf8) } + [[0xFF], [0xED, 0xA0, 0x80], [0xC3]]
    let reader = RecordReader { $0.count > 0 && $0[0] & 0xE0 == 0xA0 }
    var random = Generator(1)
    var buffer = ByteBuffer(capacity: 64)
    var counts: [String: Int] = [:]
    for _ in 0..<30_000 {
      var line = lines[random.below(lines.count)]
      for _ in 0...random.below(3) {
        let place = random.below(max(line.count, 1))
        switch random.below(5) {
        case 0 where !line.isEmpty: line[place] = random.byte()
        case 1 where !line.isEmpty: line.remove(at: place)
        case 2:
          line.insert(contentsOf: pieces[random.below(pieces.count)], at: min(place, line.count))
        case 3: line.removeLast(random.below(line.count + 1))
        default:
          let end = min(line.count, place + random.below(30))
          line.insert(contentsOf: line[min(place, end)..<end], at: min(place, line.count))
        }
      }
      withLine(line) { text in
        switch unsafe reader.read(text, into: &buffer) {
        case .skipped: counts["skipped", default: 0] += 1
        case .deviceCheckToken: Issue.record("the default schema knows no DeviceCheck tokens")
        case .reject(let reject): counts["\(reject.code)", default: 0] += 1
        case .record(let record):
          counts["\(record.kind)", default: 0] += 1
          for range in [
            record.keyID, record.token, record.clientData, record.clientDataHash, record.appID,
            record.subject, record.requestID,
          ].compactMap(\.self) {
            #expect(range.lowerBound >= 0 && range.upperBound <= buffer.count)
          }
          #expect(LogTime.range.contains(record.time))
          #expect((record.keyID?.count ?? 32) == 32)
          #expect((16...255).contains(record.clientDataHash?.count ?? 16))
          #expect((record.keyID == nil) == (record.kind == .challenge))
        }
      }
    }
    // Every outcome was met: the mutations are neither too wild nor too tame.
    let outcomes = [
      "skipped", "malformedJSON", "missingField", "badEncoding", "ambiguousField", "assertion",
      "attestation", "challenge",
    ]
    for outcome in outcomes { #expect(counts[outcome, default: 0] > 20, "\(outcome)") }
  }

  @Test func `a reader is used for line after line`() {
    var buffer = ByteBuffer()
    let reader = RecordReader { $0.count > 0 && $0[0] == 0xA1 }
    let good = utf8("{\(base),\"payload\":\"p\",\"appId\":\"a\",\"decision\":\"accepted\"}")
    let first = readRecord(good, &buffer, reader)
    #expect(first.outcome == "assertion")
    for line in [
      "{\(base),\"payload\":\"other\",\"subject\":\"s\"}", "{", "{\"platform\":\"x\"}", "",
    ] {
      _ = readRecord(utf8(line), &buffer, reader)
      #expect(readRecord(good, &buffer, reader) == first)
    }
  }
}
