import FindingCodes
import Foundation
import Testing

@testable import LogForge

/// The lines of each system's log, as they stand in it.
struct LogFormTests {
  private static let key = [UInt8](repeating: 0xFB, count: 32)
  private static let keyText = "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s="

  private func record(_ kind: LogRecord.Kind, _ data: ClientData) -> LogRecord {
    var record = LogRecord(
      kind: kind, time: 1_772_323_200_123, keyID: Self.key, token: [0xA1, 2, 3], data: data)
    record.requestID = "req-1"
    record.subject = "user \"1\""
    record.deviceID = "D-1"
    record.serverCounter = 41
    return record
  }

  private func line(_ schema: ForgedSchema, _ record: LogRecord, seed: UInt64 = 1) -> String {
    var random = ForgeRandom(seed)
    let form = schema.form
    return String(
      decoding: form.spelled(form.line(record, &random), &random), as: UTF8.self)
  }

  @Test func `capgo has challenges and payloads as text`() {
    var attestation = record(.attestation, ClientData(text: "a\"b"))
    attestation.decision = .rejected
    #expect(
      line(.capgo, attestation)
        == #"{"time":"2026-03-01T00:00:00.123Z","platform":"ios","format":"apple-app-attest","#
        + #""keyId":"\#(Self.keyText)","challenge":"a\"b","token":"oQID","decision":"rejected"}"#)
    #expect(
      line(.capgo, record(.assertion, ClientData(text: "{}")))
        == #"{"time":"2026-03-01T00:00:00.123Z","platform":"ios","format":"apple-app-attest","#
        + #""keyId":"\#(Self.keyText)","payload":"{}","token":"oQID","decision":"accepted"}"#)
  }

  @Test func `device-integrity has the attestation in a body and its challenge as base64`() {
    let spelled = line(.deviceIntegrity, record(.attestation, ClientData(bytes: [0, 0xFF, 0x10])))
      .replacing(#/"(?i:content-type)"/#, with: #""Content-Type""#)
    #expect(
      spelled
        == #"{"time":"2026-03-01T00:00:00.123Z","method":"POST","path":"/attest/verify","#
        + #""headers":{"Host":"api.example.com","Content-Type":"application/json"},"#
        + #""body":"{\"key_id\":\"\#(Self.keyText)\",\"attestation\":\"oQID\","#
        + #"\"challenge\":\"AP8Q\"}","status":200,"request_id":"req-1"}"#)
  }

  @Test func `device-integrity has the assertion in a header and signs the body`() {
    var request = record(.assertion, ClientData(text: #"{"amount":12}"#))
    request.decision = .rejected
    let spelled = line(.deviceIntegrity, request)
      .replacing(#/"(?i:content-type)"/#, with: #""Content-Type""#)
      .replacing(#/"(?i:x-app-key-id)"/#, with: #""X-App-Key-Id""#)
      .replacing(#/"(?i:x-app-assertion)"/#, with: #""X-App-Assertion""#)
    #expect(
      spelled
        == #"{"time":"2026-03-01T00:00:00.123Z","method":"POST","path":"/v1/transfers","#
        + #""headers":{"Host":"api.example.com","X-App-Key-Id":"\#(Self.keyText)","#
        + #""X-App-Assertion":"oQID","Content-Type":"application/json"},"#
        + #""body":"{\"amount\":12}","status":403,"request_id":"req-1"}"#)
  }

  @Test func `device-integrity writes names of headers in several cases`() {
    let request = record(.assertion, ClientData(text: "{}"))
    let lines = (1...40).map { line(.deviceIntegrity, request, seed: $0) }
    for name in ["X-App-Assertion", "x-app-assertion", "X-APP-ASSERTION"] {
      #expect(lines.contains { $0.contains("\"\(name)\":\"oQID\"") }, "\(name)")
    }
  }

  @Test func `swiftui has challenges, receipts that are none, and signed paths`() {
    #expect(
      line(.swiftui, record(.challenge, ClientData(text: "c")))
        == #"{"time":"2026-03-01T00:00:00.123Z","method":"GET","path":"/api/attest/challenge","#
        + #""status":200,"response":{"challenge":"c"}}"#)
    #expect(
      line(.swiftui, record(.attestation, ClientData(text: "c")))
        == #"{"time":"2026-03-01T00:00:00.123Z","method":"POST","path":"/api/attest/verify","#
        + #""status":200,"body":{"keyId":"\#(Self.keyText)","receipt":"oQID"},"#
        + #""session":{"challenge":"c","user":"user \"1\""}}"#)
    var request = record(.assertion, ClientData(text: "GET /api/notes/17 and more"))
    request.subject = nil
    #expect(
      line(.swiftui, request)
        == #"{"time":"2026-03-01T00:00:00.123Z","method":"GET","path":"/api/notes/17 and more","#
        + #""status":200,"headers":{"X-Key-Id":"\#(Self.keyText)","X-Assertion":"oQID"},"#
        + #""session":{"user":null}}"#)
  }

  @Test func `header-assertion names the device in place of the key`() {
    #expect(
      line(.headerAssertion, record(.attestation, ClientData(text: "c")))
        == #"{"ts":1772323200123,"event":"attest","deviceId":"D-1","keyId":"\#(Self.keyText)","#
        + #""attestation":"oQID","challenge":"c","outcome":"ok"}"#)
    var request = record(.assertion, ClientData(text: "a\nb"))
    request.decision = .rejected
    #expect(
      line(.headerAssertion, request)
        == #"{"ts":1772323200123,"event":"request","deviceId":"D-1","assertion":"oQID","#
        + #""rawBody":"a\nb","previousSignCount":41,"outcome":"denied"}"#)
  }

  @Test func `header-assertion leaves the stored counter out or says null`() {
    var request = record(.assertion, ClientData(text: ""))
    request.serverCounter = nil
    let lines = (1...20).map { line(.headerAssertion, request, seed: $0) }
    #expect(lines.contains { $0.contains(#""previousSignCount":null"#) })
    #expect(lines.contains { !$0.contains("previousSignCount") })
  }

  @Test func `a device's number is written as a number and as text`() {
    var request = record(.assertion, ClientData(text: ""))
    request.deviceID = "4711"
    let lines = (1...20).map { line(.headerAssertion, request, seed: $0) }
    #expect(lines.contains { $0.contains(#""deviceId":4711,"#) })
    #expect(lines.contains { $0.contains(#""deviceId":"4711","#) })
  }

  @Test(arguments: ForgedSchema.allCases)
  func `whatever stands beside the requests is one JSON object`(schema: ForgedSchema) throws {
    for seed in 1...30 as ClosedRange<UInt64> {
      var random = ForgeRandom(seed)
      let form = schema.form
      let bytes = form.spelled(form.noise(at: 1_772_323_200_123, &random), &random)
      let object = try JSONSerialization.jsonObject(with: Data(bytes))
      #expect(object is [String: Any])
      #expect(!String(decoding: bytes, as: UTF8.self).lowercased().contains("assertion\""))
    }
  }

  @Test(arguments: ForgedSchema.allCases)
  func `every flaw changes the line`(schema: ForgedSchema) {
    let form = schema.form
    #expect(form.flaws.isEmpty == (schema == .default))
    for (number, flaw) in form.flaws.enumerated() {
      var random = ForgeRandom(UInt64(number))
      let data =
        schema == .swiftui && flaw.kind == .assertion
        ? ClientData(text: "GET /api/notes/1") : ClientData(text: "client data")
      let good = form.line(record(flaw.kind, data), &random)
      var broken = good
      flaw.edit(&broken)
      #expect(broken.bytes() != good.bytes(), "\(number) \(flaw.code?.name ?? "none")")
    }
  }
}
