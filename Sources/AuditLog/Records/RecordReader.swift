/// A reader that maps lines onto records by a schema (`records.md`). One reader serves one thread.
package final class RecordReader {
  private let json: JSONLine
  /// The mapper that finds the fields of other schemas than the default one.
  private let mapper: SchemaMapper?
  /// The way in which the default schema's fields are read.
  private let reading = FieldValues.Reading()
  private let isAppAttestObject: (Span<UInt8>) -> Bool
  private let skipsPrefix: Bool
  /// The offset at which the object of the line that was read last begins.
  private var start = 0

  /// Makes a reader. `isAppAttestObject` tells whether bytes begin, behind any tags, with a CBOR
  /// map that holds `authData` or `authenticatorData`: then another platform's record may not be
  /// skipped.
  package init(
    schema: CompiledSchema = .standard, isAppAttestObject: @escaping (Span<UInt8>) -> Bool
  ) {
    json = JSONLine(schema.tree)
    mapper = schema.isStandard ? nil : SchemaMapper(schema)
    self.isAppAttestObject = isAppAttestObject
    skipsPrefix = schema.definition.skipsPrefix
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
    let fields = unsafe FieldValues(kinds: json.kinds, values: json.values, reading: reading)
    if let duplicate { return .reject(reject(duplicate, fields)) }
    do throws(FieldFault) {
      return try judge(fields, &buffer)
    } catch {
      var reject = error.reject(\.name)
      reject.decision = fields.readDecision() ?? .unknown
      return .reject(reject)
    }
  }

  /// Returns the reject of a line in which a field of the default schema stands twice.
  private func reject(_ field: LogField, _ fields: FieldValues) -> Reject {
    let isDecisionTwice = json.repeats & 1 << UInt64(LogField.decision.rawValue) != 0
    let isVariant = json.variants & 1 << UInt64(field.rawValue) != 0
    return Reject(
      .ambiguousField, Reject.twice(field.name, isVariant: isVariant),
      decision: isDecisionTwice ? .unknown : fields.readDecision() ?? .unknown)
  }

  /// The most bytes of a shape.
  private static let longestShape = 1024

  /// Returns what tells the line that was just read and skipped from others: its route, or else the
  /// names of its members in their order, with commas between them.
  package func shape(of line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let object = unsafe UnsafeBufferPointer(rebasing: line[min(start, line.count)...])
    let shape = mapper?.route(json) ?? MemberNames.list(unsafe Span(_unsafeElements: object))
    return shape.count > Self.longestShape ? Array(shape.prefix(Self.longestShape)) : shape
  }

  /// Returns what the line that was just read and skipped says of the server's decision.
  package func decision() -> Decision {
    if let mapper { return mapper.decision(json) }
    return unsafe FieldValues(kinds: json.kinds, values: json.values, reading: reading)
      .readDecision() ?? .unknown
  }

  /// Finds the object behind the words that precede it. No line is read more than twice.
  ///
  /// - Returns: Nil if there is an object, or else the failure of the line.
  private func readBehindPrefix(_ line: UnsafeBufferPointer<UInt8>) -> JSONLine.Failure? {
    start = unsafe LinePrefix.length(line)
    guard let failure = unsafe json.read(UnsafeBufferPointer(rebasing: line[start...])) else {
      return nil
    }
    // What a client sent may stand there, with braces of its own.
    guard let other = unsafe LinePrefix.lengthFromEnd(line), other != start else { return failure }
    start = other
    return unsafe json.read(UnsafeBufferPointer(rebasing: line[start...])).map { _ in failure }
  }

  private func read(
    _ line: UnsafeBufferPointer<UInt8>, _ mapper: SchemaMapper, _ buffer: inout ByteBuffer
  ) -> RecordOutcome {
    let failure = unsafe skipsPrefix ? readBehindPrefix(line) : json.read(line)
    if let failure {
      return .reject(Reject(.malformedJSON, failure.reason))
    }
    do throws(Reject) {
      guard let fields = try mapper.map(json) else { return .skipped(.noRule) }
      do throws(FieldFault) {
        return try judge(fields, &buffer)
      } catch {
        throw mapper.reject(error)
      }
    } catch {
      var reject = error
      reject.decision = mapper.decision(json)
      return .reject(reject)
    }
  }

  /// Judges the fields of a line.
  @inline(__always)
  private func judge(
    _ fields: FieldValues, _ buffer: inout ByteBuffer
  ) throws(FieldFault) -> RecordOutcome {
    var record = Record()
    if fields.foreignField != nil {
      if fields.tokenIsSomethingElse(isAppAttestObject, &buffer) {
        return .skipped(.otherPlatform)
      }
      record.hasPlatformMismatch = true
      record.foreignName = fields.copyForeignName(&buffer)
    }
    guard case .record(let kind, let isInferred) = try fields.resolveKind() else {
      try fields.checkDeviceCheckToken()
      return .deviceCheckToken
    }
    record.kind = kind
    record.isKindInferred = isInferred
    try fields.refuseTwoClientData(kind, &buffer)
    if !fields.isOrdinary(kind) { try fields.checkTypes(kind) }
    try fields.decode(kind, into: &record, &buffer)
    record.digest = RecordDigest.of(record, fields.kinds.present, buffer)
    return .record(record)
  }
}
