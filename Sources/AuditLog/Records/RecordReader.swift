/// Maps lines onto records by a schema (`records.md`). One reader serves one thread.
package final class RecordReader {
  private let json: JSONLine
  /// Finds the fields of other schemas than the default one.
  private let mapper: SchemaMapper?
  /// How the default schema's fields are read.
  private let reading = FieldValues.Reading()
  private let isAppAttestObject: (Span<UInt8>) -> Bool

  /// `isAppAttestObject` tells whether bytes begin with a CBOR map that holds `authData` or
  /// `authenticatorData`: it decides whether another platform's record may be skipped.
  package init(
    schema: CompiledSchema = .standard, isAppAttestObject: @escaping (Span<UInt8>) -> Bool
  ) {
    json = JSONLine(schema.tree)
    mapper = schema.isStandard ? nil : SchemaMapper(schema)
    self.isAppAttestObject = isAppAttestObject
  }

  deinit {
    reading.deallocate()
  }

  /// Reads one line, behind which ``LineBatch/padding`` bytes are readable. The fields go into
  /// `buffer`, which is emptied first.
  package func read(
    _ line: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer
  ) -> RecordOutcome {
    buffer.removeAll()
    if let mapper { return unsafe read(line, mapper, &buffer) }
    var duplicate: LogField?
    if let failure = unsafe json.read(line, duplicate: &duplicate) {
      return .reject(Reject(.malformedJSON, failure.reason))
    }
    if let duplicate {
      return .reject(Reject(.ambiguousField, "The field \(duplicate.name) stands twice."))
    }
    let fields = unsafe FieldValues(kinds: json.kinds, values: json.values, reading: reading)
    do throws(FieldFault) {
      return try judge(fields, &buffer)
    } catch {
      return .reject(error.reject(\.name))
    }
  }

  private func read(
    _ line: UnsafeBufferPointer<UInt8>, _ mapper: SchemaMapper, _ buffer: inout ByteBuffer
  ) -> RecordOutcome {
    if let failure = unsafe json.read(line) {
      return .reject(Reject(.malformedJSON, failure.reason))
    }
    do throws(Reject) {
      guard let fields = try mapper.map(json) else { return .skipped }
      do throws(FieldFault) {
        return try judge(fields, &buffer)
      } catch {
        throw mapper.reject(error)
      }
    } catch {
      return .reject(error)
    }
  }

  /// What the fields of a line come to.
  @inline(__always)
  private func judge(
    _ fields: FieldValues, _ buffer: inout ByteBuffer
  ) throws(FieldFault) -> RecordOutcome {
    var record = Record()
    if namesAnotherPlatform(fields) {
      guard tokenIsAppAttest(fields, &buffer) else { return .skipped }
      record.hasPlatformMismatch = true
    }
    guard case .record(let kind) = try fields.resolveKind() else {
      try fields.checkDeviceCheckToken()
      return .deviceCheckToken
    }
    record.kind = kind
    try fields.refuseTwoClientData(kind, &buffer)
    if !fields.isOrdinary(kind) { try fields.checkTypes(kind) }
    try fields.decode(kind, into: &record, &buffer)
    return .record(record)
  }

  /// Whether `platform` or `format` is another one than App Attest's, case ignored.
  private func namesAnotherPlatform(_ fields: FieldValues) -> Bool {
    let strings = fields.kinds.strings
    if strings.isDisjoint(with: [.platform, .format]) { return false }
    if strings.contains(.platform), !fields.equals(.platform, "ios") { return true }
    return strings.contains(.format) && !fields.equals(.format, "apple-app-attest")
  }

  private func tokenIsAppAttest(_ fields: FieldValues, _ buffer: inout ByteBuffer) -> Bool {
    guard fields.kinds.strings.contains(.token), let range = fields.decoded(.token, &buffer) else {
      return false
    }
    return isAppAttestObject(buffer.storage.span.extracting(range))
  }
}
