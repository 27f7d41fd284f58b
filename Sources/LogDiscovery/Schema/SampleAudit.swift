import AppAttest
package import AuditLog

/// The audit's own reader, on the lines of a sample.
package final class SampleAudit {
  private let reader: RecordReader
  private var buffer = ByteBuffer()
  /// The memory of the line that was read last. A record's values are in it.
  private var padded: [UInt8] = []

  package init(_ schema: CompiledSchema) {
    reader = RecordReader(
      schema: schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject,
      tokenLength: AppAttestSniffer.tokenFront)
  }

  /// Makes a reader, or nil if the schema does not compile.
  package convenience init?(_ schema: LogSchema?) {
    guard let schema, let compiled = try? CompiledSchema(schema) else { return nil }
    self.init(compiled)
  }

  /// Returns the first result for a line.
  package func read(_ line: [UInt8]) -> RecordOutcome {
    unsafe withPadding(line) { unsafe reader.read($0, into: &buffer) }
  }

  package func read(_ line: SampleLine) -> RecordOutcome { read(line.bytes) }

  /// Returns whether an audit makes of a line a record with a token of the record's kind, or a DeviceCheck token.
  func reads(_ line: SampleLine) -> Bool {
    switch read(line) {
    case .record: contradiction == nil
    case .deviceCheckToken: true
    case .reject, .skipped: false
    }
  }

  /// A sentence on the token of the record that was read last if it is of the other kind, or nil.
  package var contradiction: String? {
    guard record.kind != .challenge else { return nil }
    let token = bytes(record.token)
    let isAssertion = (try? Assertion.parse(token.span)) != nil
    if record.kind == .attestation {
      return isAssertion ? "The record is an attestation, and its token an assertion." : nil
    }
    return !isAssertion && (try? AttestationObject.parse(token.span)) != nil
      ? "The record is an assertion, and its token an attestation object." : nil
  }

  /// Calls `body` with all that an audit finds in a line, the signs of its text, and its length.
  ///
  /// - Returns: The place of a token that no rule reads beside those that are read (`records.R55`), or nil.
  package func readAll(
    _ line: SampleLine, _ body: (RecordOutcome, LineSigns, Int) -> Void
  ) -> String? {
    unsafe withPadding(line.bytes) { bytes in
      var place: [UInt8]?
      var next: RecordOutcome? = unsafe reader.read(bytes, into: &buffer)
      while let outcome = next {
        unsafe body(outcome, reader.signs(outcome), reader.text.count)
        if findsFurtherToken(outcome), place == nil {
          place = unsafe reader.shape(ofRead: reader.text)
        }
        next = reader.next(into: &buffer)
      }
      if place == nil, reader.findsTokenAroundRecords() {
        place = unsafe reader.shape(aroundRecordsOf: bytes)
      }
      return place.map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Returns whether the text that was read last contains a token that neither its record nor those of other rules have.
  private func findsFurtherToken(_ outcome: RecordOutcome) -> Bool {
    switch outcome {
    case .record, .deviceCheckToken:
      let isRecord = if case .record = outcome { true } else { false }
      guard reader.hasFurtherRule else {
        return reader.findsToken(besideRecord: isRecord, buffer)
      }
      reader.keepToken(ofRecord: isRecord, buffer)
      return false
    case .skipped: return !reader.hasFurtherRule && reader.findsToken(buffer)
    case .reject: return false
    }
  }

  /// Calls `body` with a line in memory that has the padding which the reader needs.
  private func withPadding<Result>(
    _ line: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    padded = line + [UInt8](repeating: 0, count: LineBatch.padding)
    return unsafe padded.withUnsafeBufferPointer {
      unsafe body(UnsafeBufferPointer(rebasing: $0[..<line.count]))
    }
  }

  package var record: Record { reader.record }

  package func bytes(_ range: Range<Int>) -> [UInt8] { Array(buffer.storage[range]) }

  func decision(_ line: SampleLine) -> Decision {
    switch read(line) {
    case .record: record.decision
    case .reject(let reject): reject.decision
    case .skipped: reader.decision()
    case .deviceCheckToken: .unknown
    }
  }
}

extension LogSample {
  /// Returns the schema of rules, with the headers and wrappings of their pointers.
  func schema(_ rules: [SchemaRule], skipsPrefix: Bool) -> LogSchema {
    var schema = LogSchema(name: "log", rules: rules)
    schema.skipsPrefix = skipsPrefix
    schema.records = records
    let used = Set(
      rules.flatMap { $0.conditions.flatMap(\.pointers) + $0.fields.values.flatMap(\.pointers) }
        .compactMap(pointers.number))
    let around = wrappings.filter { wrapping in
      used.contains { $0 == wrapping.pointer || pointers.isInside($0, wrapping.pointer) }
    }
    schema.wrappings = around.map { wrapping in
      SchemaWrapping(
        pointers.pointer(wrapping.pointer), wrapping.form, flag: wrapping.flag.map(pointers.pointer)
      )
    }
    let all = used.union(around.flatMap { [$0.pointer, $0.flag].compactMap(\.self) })
    schema.headers = Set(all.compactMap(pointers.header)).map(pointers.pointer)
      .sorted { $0.text < $1.text }
    return schema
  }

  /// Returns the indexes of the lines that meet conditions, as an audit reads them.
  func lines(meeting conditions: [SchemaCondition]) -> Set<Int> {
    guard let place = conditions.first?.pointers.first else { return Set(lines.indices) }
    let rule = SchemaRule(
      name: "any", conditions: conditions, kind: .deviceCheckToken,
      fields: [.token: FieldMapping(.pointers([place]))])
    let schema = schema([rule], skipsPrefix: lines.contains(where: \.hasPrefix))
    guard let audit = SampleAudit(schema) else { return [] }
    return Set(
      lines.indices.filter { index in
        switch audit.read(lines[index]) {
        case .skipped: false
        case .reject(let reject): reject.code != .malformedJSON
        case .record, .deviceCheckToken: true
        }
      })
  }
}
