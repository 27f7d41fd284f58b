import AppAttest
import AuditLog
import AuditReport
import AuditSettings
import Basics

/// A run of tests, whose lines are read with a schema.
struct SchemaTestRun {
  let schema: CompiledSchema

  /// Returns the fault of each test that fails: `p.yaml:7: 'a test': expected …, found …`.
  func failures(of tests: [SchemaTest]) -> [String] {
    let reader = RecordReader(
      schema: schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
    var buffer = ByteBuffer()
    return tests.compactMap { test in
      complaint(test, reader, &buffer).map { "\(test.origin): '\(test.name)': \($0)" }
    }
  }

  private func complaint(
    _ test: SchemaTest, _ reader: RecordReader, _ buffer: inout ByteBuffer
  ) -> String? {
    let padded = test.line + [UInt8](repeating: 0, count: LineBatch.padding)
    let outcome = unsafe padded.withUnsafeBufferPointer { bytes in
      unsafe reader.read(
        UnsafeBufferPointer(rebasing: bytes[..<test.line.count]), into: &buffer)
    }
    switch (test.expectation, outcome) {
    case (.skipped, .skipped), (.deviceCheckToken, .deviceCheckToken): return nil
    case (.reject(let code), .reject(let reject)) where code == reject.code: return nil
    case (.record(let expected), .record(let record)):
      return Self.difference(expected, record, buffer)
    case (let expectation, let outcome):
      return "expected \(Self.words(expectation)), found \(Self.words(outcome))"
    }
  }

  private static func words(_ expectation: SchemaTest.Expectation) -> String {
    switch expectation {
    case .skipped: "a line that is skipped"
    case .deviceCheckToken: "a DeviceCheck token"
    case .reject(let code): code.name
    case .record(let record): record.kind.map { "kind \($0)" } ?? "a record"
    }
  }

  private static func words(_ outcome: RecordOutcome) -> String {
    switch outcome {
    case .skipped: "a line that is skipped"
    case .deviceCheckToken: "a DeviceCheck token"
    case .reject(let reject): "\(reject.code.name): \(reject.reason)"
    case .record(let record): "kind \(record.kind)"
    }
  }

  /// Returns the first field that differs.
  private static func difference(
    _ expected: ExpectedRecord, _ record: Record, _ buffer: ByteBuffer
  ) -> String? {
    func compare<Value: Equatable>(
      _ name: String, _ wanted: Value?, _ found: Value?, _ text: (Value) -> String
    ) -> String? {
      guard let wanted, wanted != found else { return nil }
      return "expected \(name) \(text(wanted)), found \(found.map(text) ?? "none")"
    }
    let first =
      compare("kind", expected.kind, record.kind) { "\($0)" }
      ?? compare("time", expected.time, record.time) { CivilTime(milliseconds: $0).text }
      ?? compare("decision", expected.decision, record.decision) { "\($0)" }
      ?? compare("serverCounter", expected.serverCounter, record.serverCounter, String.init)
    if let first { return first }
    for wanted in expected.bytes {
      let found = range(of: wanted.field, record).map { Array(buffer.storage[$0]) }
      let difference = compare(wanted.field.name, wanted.value, found) {
        words($0, isText: wanted.isText)
      }
      if let difference { return difference }
    }
    return nil
  }

  private static func range(of field: LogField, _ record: Record) -> Range<Int>? {
    switch field {
    case .keyId: record.keyID
    case .token: record.kind == .challenge ? nil : record.token
    case .challenge: record.isChallenge ? record.clientData : nil
    case .payload: record.isChallenge ? nil : record.clientData
    case .clientData: record.clientData
    case .clientDataHash: record.clientDataHash
    case .appId: record.appID
    case .subject: record.subject
    case .requestId: record.requestID
    case .deviceId: record.deviceID
    case .clientIP: record[.clientIP]
    case .userAgent: record[.userAgent]
    case .route: record[.route]
    case .time, .duration, .kind, .decision, .serverCounter, .platform, .format: nil
    }
  }

  /// The largest number of bytes of a value that a message shows.
  private static let shownBytes = 200

  private static func words(_ bytes: [UInt8], isText: Bool) -> String {
    let shown = Array(bytes.prefix(shownBytes))
    let more = bytes.count > shownBytes ? "…" : ""
    if isText, String(validating: bytes, as: UTF8.self) != nil {
      return "'\(String(decoding: shown, as: UTF8.self))\(more)'"
    }
    return Hex.text(shown) + more
  }
}
