import Foundation
import Testing

@testable import AuditLog

/// What a line was read as, copied out of the reader's memory.
private struct Read: Equatable {
  /// The kind of record, `skipped`, or the code of the reject.
  var outcome: String
  var time: Int64 = 0
  var keyID: [UInt8]?
  var token: [UInt8] = []
  var clientData: [UInt8]?
  var hash: [UInt8]?
  var isChallenge = false
  var appID: String?
  var subject: String?
  var requestID: String?
  var decision = LogDecision.unknown
  var isMismatch = false
  var reason = ""
}

/// Reads a line; App Attest's objects begin with A1 here.
private func read(
  _ line: [UInt8], _ buffer: inout ByteBuffer,
  _ reader: RecordReader = RecordReader { $0.count > 0 && $0[0] == 0xA1 }
) -> Read {
  return withLine(line) { text in
    switch unsafe reader.read(text, into: &buffer) {
    case .skipped: return Read(outcome: "skipped")
    case .reject(let reject):
      #expect(reject.reason.hasSuffix("."))
      return Read(outcome: "\(reject.code)", reason: reject.reason)
    case .record(let record):
      func bytes(_ range: Range<Int>?) -> [UInt8]? {
        range.map { Array(buffer.storage[..<buffer.count][$0]) }
      }
      func string(_ range: Range<Int>?) -> String? {
        bytes(range).map { String(decoding: $0, as: UTF8.self) }
      }
      return Read(
        outcome: "\(record.kind)", time: record.time, keyID: bytes(record.keyID),
        token: bytes(record.token) ?? [], clientData: bytes(record.clientData),
        hash: bytes(record.clientDataHash), isChallenge: record.isChallenge,
        appID: string(record.appID), subject: string(record.subject),
        requestID: string(record.requestID), decision: record.decision,
        isMismatch: record.hasPlatformMismatch)
    }
  }
}

private func read(_ line: String) -> Read {
  var buffer = ByteBuffer()
  return read(Array(line.utf8), &buffer)
}

/// A record of these members behind a time, a key and a token.
private func record(_ members: String) -> Read {
  read("{\(base),\(members)}")
}

private let key = String(repeating: "A", count: 43) + "="
private let base = "\"time\":1,\"keyId\":\"\(key)\",\"token\":\"oA==\""
private func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct `Record reader` {
  // MARK: Kind

  @Test(arguments: [
    ("\"challenge\":\"c\"", "attestation"),
    ("\"challenge\":\"c\",\"clientData\":\"Yw==\"", "attestation"),
    ("\"challenge\":\"c\",\"clientDataHash\":\"\(key)\"", "attestation"),
    ("\"payload\":\"p\"", "assertion"),
    ("\"clientData\":\"cA==\"", "assertion"),
    ("\"clientDataHash\":\"\(key)\"", "assertion"),
    ("\"payload\":\"p\",\"clientData\":\"cA==\",\"clientDataHash\":\"\(key)\"", "assertion"),
    ("\"payload\":\"p\",\"challenge\":null", "assertion"),
    ("\"challenge\":\"c\",\"payload\":null", "attestation"),
    ("\"challenge\":\"\"", "attestation"),
    ("\"payload\":\"\"", "assertion"),
    ("\"kind\":null,\"payload\":\"p\"", "assertion"),
    ("\"kind\":\"assertion\",\"payload\":\"p\",\"challenge\":\"c\"", "assertion"),
    ("\"kind\":\"attestation\",\"payload\":\"p\",\"challenge\":\"c\"", "attestation"),
    ("\"kind\":\"attestation\",\"clientData\":\"cA==\"", "attestation"),
    ("\"kind\":\"attestation\",\"clientDataHash\":\"\(key)\"", "attestation"),
    ("\"kind\":\"assertion\",\"clientDataHash\":\"\(key)\"", "assertion"),
    ("\"kind\":\"challenge\",\"challenge\":\"c\"", "challenge"),
    ("\"\\u006bind\":\"\\u0063hallenge\",\"challenge\":\"c\"", "challenge"),
    // Without a word and with both, two servers would read two different requests.
    ("\"challenge\":\"c\",\"payload\":\"p\"", "ambiguousField"),
    ("\"challenge\":\"p\",\"payload\":\"p\"", "ambiguousField"),
    ("\"challenge\":\"\",\"payload\":\"\"", "ambiguousField"),
    ("\"challenge\":1,\"payload\":[]", "ambiguousField"),
    ("\"x\":1", "missingField"),
    ("\"payload\":null,\"challenge\":null", "missingField"),
    ("\"kind\":\"attestation\",\"payload\":\"p\"", "missingField"),
    ("\"kind\":\"assertion\",\"challenge\":\"c\"", "missingField"),
    ("\"kind\":\"challenge\"", "missingField"),
    ("\"kind\":\"challenge\",\"payload\":\"p\"", "missingField"),
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
    ("{\"time\":1,\"challenge\":\"c\",\"token\":null}", "challenge"),
    ("{\"time\":1,\"challenge\":\"c\",\"keyId\":17,\"clientData\":{}}", "challenge"),
    ("{\"time\":1,\"challenge\":17}", "missingField"),
    ("{\"challenge\":\"c\"}", "missingField"),
    ("{\"time\":1,\"payload\":\"p\",\"keyId\":\"\(key)\"}", "missingField"),
    ("{\"time\":1,\"keyId\":\"\(key)\",\"kind\":\"assertion\",\"payload\":\"p\"}", "missingField"),
    ("{\"time\":1,\"token\":\"oA==\",\"payload\":\"p\"}", "missingField"),
    ("{\"time\":1,\"token\":\"oA==\",\"challenge\":\"c\"}", "missingField"),
    ("{}", "missingField"),
    ("{\"x\":{\"time\":1,\"challenge\":\"c\"}}", "missingField"),
    ("{\"Time\":1,\"challenge\":\"c\"}", "missingField"),
  ])
  func `a record has the fields of its kind`(_ line: String, _ outcome: String) {
    #expect(read(line).outcome == outcome)
  }

  // MARK: Types

  @Test(arguments: [
    "\"time\":null", "\"time\":true", "\"time\":{}", "\"time\":[1]", "\"keyId\":null",
    "\"keyId\":1", "\"keyId\":{}", "\"token\":null,\"kind\":\"assertion\"", "\"token\":1",
    "\"token\":[\"oA==\"]", "\"payload\":1", "\"payload\":{}", "\"payload\":[]",
    "\"payload\":false", "\"clientData\":1", "\"clientDataHash\":[]", "\"clientDataHash\":false",
    "\"appId\":1", "\"appId\":{}", "\"subject\":{}", "\"subject\":true", "\"subject\":[1]",
    "\"requestId\":[]", "\"requestId\":false", "\"decision\":1", "\"decision\":true",
    "\"platform\":1", "\"platform\":[\"ios\"]", "\"format\":{}",
  ])
  func `a needed field of null or any field of the wrong type is missing`(_ member: String) {
    let name = member.prefix { $0 != ":" }
    let members = [
      "\"time\":1", "\"keyId\":\"\(key)\"", "\"token\":\"oA==\"", "\"payload\":\"p\"",
    ].filter { !$0.hasPrefix(name + ":") }
    let line = "{" + ([member] + members).joined(separator: ",") + "}"
    #expect(read(line).outcome == "missingField", "\(line)")
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

  // MARK: Order of rejects

  @Test(arguments: [
    // Ambiguity first: the field that stands twice, then two client data.
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
    // What does not parse is nothing else.
    ("{\"time\":1,\"time\":2,}", "malformedJSON"),
    ("{\"platform\":\"android\",\"x\":NaN}", "malformedJSON"),
  ])
  func `ambiguity comes before absence, absence before encoding`(_ line: String, _ outcome: String)
  {
    #expect(read(line).outcome == outcome)
  }

  // MARK: Client data

  @Test func `client data beside text must be the same bytes`() {
    #expect(record("\"payload\":\"é\",\"clientData\":\"w6k=\"").clientData == utf8("é"))
    #expect(record("\"payload\":\"\",\"clientData\":\"\"").clientData == [])
    #expect(record("\"payload\":\"\\u0000\",\"clientData\":\"AA\"").clientData == [0])
    for data in ["w6o=", "w6kA", "", "4Zm-"] {
      #expect(record("\"payload\":\"é\",\"clientData\":\"\(data)\"").outcome == "ambiguousField")
      #expect(record("\"challenge\":\"é\",\"clientData\":\"\(data)\"").outcome == "ambiguousField")
    }
    #expect(record("\"payload\":\"é\",\"clientData\":\"w6k!\"").outcome == "badEncoding")
    // A kind's own text is what counts.
    #expect(
      record("\"kind\":\"attestation\",\"payload\":\"x\",\"clientData\":\"cA==\"").outcome
        == "attestation")
    #expect(
      record("\"kind\":\"challenge\",\"challenge\":\"x\",\"clientData\":\"cA==\"").outcome
        == "challenge")
  }

  @Test func `text is hashed as its decoded bytes`() {
    #expect(record("\"payload\":\"\\u0041\"").clientData == utf8("A"))
    #expect(record("\"payload\":\"\\ud83d\\ude00\"").clientData == [0xF0, 0x9F, 0x98, 0x80])
    #expect(record("\"payload\":\"a\\u0000b\\n\"").clientData == [0x61, 0, 0x62, 0x0A])
    #expect(record("\"payload\":\"{\\\"a\\\": 1}\"").clientData == utf8("{\"a\": 1}"))
    #expect(record("\"clientData\":\"AP8\"").clientData == [0, 255])
    let attestation = record("\"challenge\":\"c\"")
    #expect(attestation.clientData == utf8("c") && attestation.isChallenge)
    #expect(!record("\"payload\":\"c\"").isChallenge)
    #expect(!record("\"kind\":\"attestation\",\"clientData\":\"cA==\"").isChallenge)
    let challenge = read("{\"time\":1,\"challenge\":\"c\"}")
    #expect(challenge.clientData == utf8("c") && challenge.isChallenge && challenge.keyID == nil)
  }

  // MARK: clientDataHash

  @Test func `a clientDataHash is 16 to 255 bytes, in hex or base64`() {
    for (count, isTaken) in [
      (0, false), (1, false), (12, false), (15, false), (16, true), (17, true), (20, true),
      (24, true), (32, true), (33, true), (64, true), (254, true), (255, true), (256, false),
      (1000, false),
    ] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 251) }
      let base64 = Data(bytes).base64EncodedString()
      let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      var forms = [base64, base64.replacingOccurrences(of: "=", with: "")]
      // Fewer than 32 digits are base64, and of another length.
      if count >= 16 { forms += [hex, hex.uppercased()] }
      for form in forms {
        let read = record("\"clientDataHash\":\"\(form)\"")
        #expect(read.outcome == (isTaken ? "assertion" : "badEncoding"), "\(count): \(form)")
        #expect(read.hash == (isTaken ? bytes : nil))
      }
    }
  }

  @Test func `hex of fewer than 32 digits or of an odd number is base64`() {
    #expect(record("\"clientDataHash\":\"\(String(repeating: "a", count: 30))\"").hash?.count == 22)
    #expect(record("\"clientDataHash\":\"\(String(repeating: "a", count: 31))\"").hash?.count == 23)
    #expect(record("\"clientDataHash\":\"\(String(repeating: "a", count: 32))\"").hash?.count == 16)
    #expect(
      record("\"clientDataHash\":\"\(String(repeating: "a", count: 33))\"").outcome
        == "badEncoding")
    #expect(record("\"clientDataHash\":\"\(String(repeating: "a", count: 35))\"").hash?.count == 26)
    #expect(
      record("\"clientDataHash\":\"\(String(repeating: "g", count: 36))\"").hash?.count == 27)
  }

  // MARK: Keys and tokens

  @Test func `a key identifier is read in every form it is logged in`() {
    let bytes = (0..<32).map { UInt8(251 &- $0 &* 5) }
    let base64 = Data(bytes).base64EncodedString()
    #expect(base64.contains("+") || base64.contains("/"))
    let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    for form in [
      base64, String(base64.dropLast()), base64.replacingOccurrences(of: "+", with: "-"),
      base64.replacingOccurrences(of: "/", with: "_"),
      base64.replacingOccurrences(of: "+", with: " "),
      base64.replacingOccurrences(of: "/", with: "\\/"), hex, hex.uppercased(),
    ] {
      let read = read("{\"time\":1,\"token\":\"oA\",\"payload\":\"p\",\"keyId\":\"\(form)\"}")
      #expect(read.keyID == bytes, "\(form)")
    }
  }

  @Test(arguments: [
    "", "AAAA", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
    String(repeating: "A", count: 43) + "==", String(repeating: "A", count: 43) + "=\\n",
    String(repeating: "0", count: 62), String(repeating: "0", count: 66),
    String(repeating: "0", count: 63) + "g", "0x" + String(repeating: "0", count: 62),
    String(repeating: "A", count: 42) + "!", String(repeating: "Ａ", count: 43),
  ])
  func `other key identifiers are refused`(_ form: String) {
    #expect(
      read("{\"time\":1,\"token\":\"oA\",\"payload\":\"p\",\"keyId\":\"\(form)\"}").outcome
        == "badEncoding")
  }

  @Test(arguments: [("oA==", [0xA0]), ("oA", [0xA0]), ("", []), ("_-8 ", [0xFF, 0xEF, 0x3E])])
  func `tokens are base64 in every form`(_ form: String, _ bytes: [UInt8]) {
    let read = read("{\"time\":1,\"token\":\"\(form)\",\"payload\":\"p\",\"keyId\":\"\(key)\"}")
    #expect(read.token == bytes)
  }

  @Test(arguments: ["o", "oA=", "oA===", "oA==\\n", "o A!", "{}", "\\u0000"])
  func `other tokens are refused`(_ form: String) {
    let read = read("{\"time\":1,\"token\":\"\(form)\",\"payload\":\"p\",\"keyId\":\"\(key)\"}")
    #expect(read.outcome == "badEncoding")
  }

  // MARK: Time, decision, texts

  @Test(arguments: [
    ("\"2026-01-02T03:04:05.6789Z\"", 1_767_323_045_678), ("1767323045.6789", 1_767_323_045_678),
    ("1767323045678", 1_767_323_045_678), ("-1", -1000), ("0", 0), ("1e3", 1_000_000),
  ])
  func `times are texts or numbers`(_ time: String, _ milliseconds: Int64) {
    #expect(read("{\"time\":\(time),\"challenge\":\"c\"}").time == milliseconds)
  }

  @Test(arguments: [
    "\"\"", "\"1767323045\"", "\"2026-01-02T03:04:05\"", "\"2026-02-30T03:04:05Z\"", "1e400",
    "999999999999999999", "-1e30",
  ])
  func `other times are refused`(_ time: String) {
    #expect(read("{\"time\":\(time),\"challenge\":\"c\"}").outcome == "badEncoding")
  }

  @Test func `decisions are one of two words`() {
    #expect(record("\"payload\":\"p\",\"decision\":\"accepted\"").decision == .accepted)
    #expect(record("\"payload\":\"p\",\"decision\":\"rejected\"").decision == .rejected)
    for word in ["", "Accepted", "ok", "true", "accepted ", "rejected\\u0000", "unknown"] {
      #expect(record("\"payload\":\"p\",\"decision\":\"\(word)\"").outcome == "badEncoding")
    }
  }

  @Test func `texts are carried through as they are`() {
    let read = record(
      "\"payload\":\"p\",\"appId\":\"T.b\",\"subject\":\"\",\"requestId\":\"=1+\\ud83d\\ude00\\u0000\""
    )
    #expect(read.appID == "T.b" && read.subject == "" && read.requestID == "=1+😀\u{0}")
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
  func `other platforms are skipped, case ignored`(
    _ members: String, _ outcome: String, _ isMismatch: Bool
  ) {
    let read = record("\"payload\":\"p\",\(members)")
    #expect(read.outcome == outcome)
    #expect(read.isMismatch == isMismatch)
  }

  @Test func `a token of App Attest's is audited whatever platform the client wrote`() {
    for members in ["\"platform\":\"android\"", "\"format\":\"x\"", "\"platform\":\"\""] {
      let line = "{\"time\":1,\"keyId\":\"\(key)\",\"payload\":\"p\",\(members),\"token\":"
      let audited = read(line + "\"oQ==\"}")
      #expect(audited.outcome == "assertion" && audited.isMismatch && audited.token == [0xA1])
      #expect(audited.clientData == utf8("p"))
      for token in ["\"oA==\"", "\"!\"", "\"\"", "null", "1", "{}", "[\"oQ==\"]"] {
        #expect(read(line + token + "}").outcome == "skipped", "\(token)")
      }
    }
    // It is a reject like any other, too.
    #expect(
      read("{\"platform\":\"android\",\"token\":\"oQ==\",\"payload\":\"p\"}").outcome
        == "missingField")
    #expect(read("{\"platform\":\"android\"}").outcome == "skipped")
    #expect(read("{\"platform\":\"android\",\"time\":\"never\"}").outcome == "skipped")
    #expect(read("{\"platform\":17}").outcome == "missingField")
  }

  // MARK: Hostile lines

  @Test func `mutated lines never crash the reader, and what it gives lies in the buffer`() {
    let lines = [
      "{\(base),\"payload\":\"p\\u0041\\ud83d\\ude00\",\"clientData\":\"cEHwn5iA\"}",
      "{\(base),\"challenge\":\"c\",\"clientDataHash\":\"\(key)\",\"decision\":\"accepted\"}",
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
    let first = read(good, &buffer, reader)
    #expect(first.outcome == "assertion")
    for line in [
      "{\(base),\"payload\":\"other\",\"subject\":\"s\"}", "{", "{\"platform\":\"x\"}", "",
    ] {
      _ = read(utf8(line), &buffer, reader)
      #expect(read(good, &buffer, reader) == first)
    }
  }
}
