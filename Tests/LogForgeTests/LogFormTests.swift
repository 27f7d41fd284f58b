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

  private static let gateways: [(schema: ForgedSchema, line: String)] = [
    (
      .nginxJson,
      #"{"msec":1772323200.123,"method":"M","uri":"/v1/notes/N","status":403,"request_id":"req-1","#
        + #""assertion":"oQID","key_id":"KEY","body":"{\"a\":1}"}"#
    ),
    (
      .envoy,
      #"{"start_time":"2026-03-01T00:00:00.123Z","method":"M","path":"/v1/notes/N","#
        + #""response_code":403,"request_id":"req-1","assertion":"oQID","key_id":"KEY","#
        + #""body":"{\"a\":1}"}"#
    ),
  ]

  @Test(arguments: gateways.map(\.schema))
  func `gateways log the headers that they are told to`(_ schema: ForgedSchema) throws {
    var request = record(.assertion, ClientData(text: #"{"a":1}"#))
    request.decision = .rejected
    let expected = try #require(Self.gateways.first { $0.schema == schema }).line
    let spelled = line(schema, request).replacing(#/"(POST|PUT)"/#, with: #""M""#)
      .replacing(#/notes\/[0-9]/#, with: "notes/N").replacing(Self.keyText, with: "KEY")
    #expect(spelled == expected)
  }

  @Test func `clouds log bodies and headers in their own places`() {
    let request = record(.assertion, ClientData(text: "note"))
    let otel = (1...20).map { line(.otel, request, seed: $0) }
    let attribute =
      #"{"key":"http.request.header.x-app-assertion","value":{"arrayValue":{"values":"#
      + #"[{"stringValue":"oQID"}]}}}"#
    #expect(otel.allSatisfy { $0.contains(attribute) })
    #expect(otel.allSatisfy { $0.contains(#""body":{"stringValue":"note"}"#) })
    // Attributes come in any order.
    #expect(Set(otel.map { $0.firstRange(of: attribute)?.lowerBound }).count > 2)
    let functions = (1...20).map { line(.awsApigw, request, seed: $0) }
    #expect(functions.contains { $0.contains(#""body":"note","isBase64Encoded":false}"#) })
    #expect(functions.contains { $0.contains(#""body":"bm90ZQ==","isBase64Encoded":true}"#) })
    #expect(line(.gcp, request).contains(#""timestamp":"2026-03-01T00:00:00.123"#))
    #expect(line(.cloudwatch, request).contains(#"\"body\":\"note\"}","ingestionTime":"#))
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
      // These two write a header that was not sent.
      guard schema != .nginxJson, schema != .envoy else { continue }
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
