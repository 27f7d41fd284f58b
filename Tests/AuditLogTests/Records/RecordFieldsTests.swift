import Foundation
import Testing

@testable import AuditLog

@Suite struct `Fields of a record` {
  // MARK: Client data

  @Test func `client data beside text must be the same bytes`() {
    #expect(record("\"payload\":\"é\",\"clientData\":\"w6k=\"").clientData == utf8("é"))
    #expect(record("\"payload\":\"\",\"clientData\":\"\"").clientData == [])
    #expect(record("\"payload\":\"\\u0000\",\"clientData\":\"AA\"").clientData == [0])
    for data in ["w6o=", "w6kA", "", "4Zm-"] {
      #expect(record("\"payload\":\"é\",\"clientData\":\"\(data)\"").outcome == "ambiguousField")
      #expect(record("\"challenge\":\"é\",\"clientData\":\"\(data)\"").outcome == "ambiguousField")
    }
    let odd = record("\"payload\":\"é\",\"clientData\":\"w6k!\"")
    #expect(odd.outcome == "assertion" && odd.odd == ["clientData"])
    #expect(record("\"payload\":\"é\",\"clientData\":\"w6k!A\"").outcome == "ambiguousField")
    #expect(record("\"payload\":\"é\",\"clientData\":\"w6kAA\"").outcome == "badEncoding")
    // A kind's own text is what counts.
    #expect(
      record("\"kind\":\"attestation\",\"payload\":\"x\",\"clientData\":\"cA==\"").outcome
        == "attestation")
    #expect(
      readRecord(
        "{\"time\":1,\"kind\":\"challenge\",\"challenge\":\"x\",\"clientData\":\"cA==\"}"
      ).outcome
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
    let challenge = readRecord("{\"time\":1,\"challenge\":\"c\"}")
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
      let read = readRecord("{\"time\":1,\"token\":\"oA\",\"payload\":\"p\",\"keyId\":\"\(form)\"}")
      #expect(read.keyID == bytes, "\(form)")
    }
  }

  @Test(arguments: [
    "", "AAAA", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
    String(repeating: "A", count: 45),
    String(repeating: "0", count: 62), String(repeating: "0", count: 66),
    String(repeating: "0", count: 63) + "g", "0x" + String(repeating: "0", count: 62),
    String(repeating: "A", count: 42) + "!", String(repeating: "Ａ", count: 43),
  ])
  func `other key identifiers are refused`(_ form: String) {
    #expect(
      readRecord("{\"time\":1,\"token\":\"oA\",\"payload\":\"p\",\"keyId\":\"\(form)\"}").outcome
        == "badEncoding")
  }

  @Test(arguments: [("oA==", [0xA0]), ("oA", [0xA0]), ("", []), ("_-8-", [0xFF, 0xEF, 0x3E])])
  func `tokens are base64 in every form`(_ form: String, _ bytes: [UInt8]) {
    let read = readRecord(
      "{\"time\":1,\"token\":\"\(form)\",\"payload\":\"p\",\"keyId\":\"\(sampleKey)\"}")
    #expect(read.token == bytes)
  }

  @Test(arguments: ["o", "o!", "_-8 ", "AAAA!", "!", "o\u{301}", "{}", "\\u0000"])
  func `other tokens are refused`(_ form: String) {
    let read = readRecord(
      "{\"time\":1,\"token\":\"\(form)\",\"payload\":\"p\",\"keyId\":\"\(sampleKey)\"}")
    #expect(read.outcome == "badEncoding")
  }

  // MARK: Time, decision, texts

  @Test(arguments: [
    ("\"2026-01-02T03:04:05.6789Z\"", 1_767_323_045_678), ("1767323045.6789", 1_767_323_045_678),
    ("1767323045678", 1_767_323_045_678), ("-1", -1000), ("0", 0), ("1e3", 1_000_000),
  ])
  func `times are texts or numbers`(_ time: String, _ milliseconds: Int64) {
    #expect(readRecord("{\"time\":\(time),\"challenge\":\"c\"}").time == milliseconds)
  }

  @Test(arguments: [
    "\"\"", "\"1767323045\"", "\"2026-01-02T03:04:05\"", "\"2026-02-30T03:04:05Z\"", "1e400",
    "999999999999999999", "-1e30",
  ])
  func `other times are refused`(_ time: String) {
    #expect(readRecord("{\"time\":\(time),\"challenge\":\"c\"}").outcome == "badEncoding")
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
}
