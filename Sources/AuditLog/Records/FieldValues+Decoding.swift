internal import CSimdjson

extension FieldValues {
  @inline(__always)
  func decode(
    _ kind: RecordKind, into record: inout Record, _ buffer: inout ByteBuffer
  ) throws(FieldFault) {
    let present = kinds.present
    try decodeTime(&record)
    record.statedTime = record.time
    if present.contains(.duration) { record.time = try decodeStart(record.time) }
    if kind == .challenge {
      record.clientData = try decodeText(.challenge, &record.oddFields, &buffer)
      record.isChallenge = true
    } else {
      if present.contains(.keyId) {
        record.keyID = try decodeKeyID(&record.oddFields, &buffer)
      }
      record.token = try decode(.token, .map, &record.oddFields, &buffer)
      try decodeClientData(kind, present, into: &record, &buffer)
      if present.contains(.deviceId) { record.deviceID = copy(.deviceId, &buffer) }
      if kind == .assertion, present.contains(.serverCounter) {
        record.serverCounter = try decodeCounter()
      }
    }
    if reading.formation == .raw { try takeAsHash(kind, &record) }
    if present.contains(.appId) { record.appID = copy(.appId, &buffer) }
    for text in RequestText.allCases where present.contains(FieldSet(text.field)) {
      if text.field == .requestId, unsafe Self.isPlaceholder(self.text(.requestId)) { continue }
      record[text] = copy(text.field, &buffer)
    }
    if present.contains(.decision) {
      guard let decision = readDecision() else { throw .unknownWord(.decision) }
      record.decision = decision
    }
  }

  /// Returns the bytes of a string by its encoding, read strictly, or nil if it is not written so.
  @inline(__always)
  func decoded(_ field: LogField, _ buffer: inout ByteBuffer) -> Range<Int>? {
    var hasSpaces = false
    return decoded(field, &buffer, &hasSpaces)
  }

  /// Does the same; `hasSpaces` becomes true if a space in base64 was read as a `+`.
  @inline(__always)
  private func decoded(
    _ field: LogField, _ buffer: inout ByteBuffer, _ hasSpaces: inout Bool
  ) -> Range<Int>? {
    let text = unsafe text(field)
    if kinds.arrays.contains(FieldSet(field)) {
      return unsafe ByteArray.decode(text, into: &buffer)
    }
    switch encoding(field) {
    case .utf8, .raw: return copy(field, &buffer)
    case .base64, .base64url:
      return unsafe Base64.decode(text, into: &buffer, hasSpaces: &hasSpaces)
    case .hex: return unsafe HexDigits.decode(text, into: &buffer)
    case .auto:
      // Hex where a key identifier has its 64 digits, or a hash no fewer than it needs.
      if text.count == 64 || (field == .clientDataHash && text.count >= 32),
        let range = unsafe HexDigits.decode(text, into: &buffer)
      {
        return range
      }
      return unsafe Base64.decode(text, into: &buffer, hasSpaces: &hasSpaces)
    }
  }

  @inline(__always)
  func decode(
    _ field: LogField, _ needs: DecodedForm, _ odd: inout FieldSet, _ buffer: inout ByteBuffer
  ) throws(FieldFault) -> Range<Int> {
    var hasSpaces = false
    let start = buffer.count
    let strict = decoded(field, &buffer, &hasSpaces)
    if let strict, needs.isMet(by: buffer, strict), needs.isSettled(hasSpaces), isPlain(field) {
      return strict
    }
    return try buffer.keep(decodeOddly(field, strict, needs, &odd, &buffer), from: start)
  }

  @inline(__always)
  private func decodeText(
    _ field: LogField, _ odd: inout FieldSet, _ buffer: inout ByteBuffer
  ) throws(FieldFault) -> Range<Int> {
    encoding(field) == .utf8 ? copy(field, &buffer) : try decode(field, .any, &odd, &buffer)
  }

  private func copy(_ field: LogField, _ buffer: inout ByteBuffer) -> Range<Int> {
    unsafe buffer.append(copying: .init(text(field)))
  }

  private func decodeTime(_ record: inout Record) throws(FieldFault) {
    let text = unsafe Span(_unsafeElements: text(.time))
    let isString = kinds.strings.contains(.time)
    if reading.hasStandardTime {
      let time = isString ? LogTime.parse(rfc3339: text) : LogTime.parse(number: text)
      if let time {
        record.time = time
        return
      }
    }
    switch reading.time.read(text, isString: isString) {
    case .time(let time): record.time = time
    case .either(let first, let second):
      record.time = first
      record.ambiguity = second - first
    case .zoneless:
      throw FieldFault(
        .badEncoding, .time, "is a time without a zone: set 'zone' in the schema")
    case .none: throw FieldFault(.badEncoding, .time, "is \(reading.time.fault)")
    }
  }

  @inline(__always)
  private func decodeKeyID(
    _ odd: inout FieldSet, _ buffer: inout ByteBuffer
  ) throws(FieldFault) -> Range<Int> {
    let range = try decode(.keyId, .keyIdentifier, &odd, &buffer)
    guard range.count == 32 else { throw .length(.keyId, range.count, "32") }
    return range
  }

  @inline(__always)
  private func decodeClientData(
    _ kind: RecordKind, _ present: FieldSet, into record: inout Record,
    _ buffer: inout ByteBuffer
  ) throws(FieldFault) {
    let text = Self.textField(kind)
    if present.contains(.clientData) {
      record.clientData = try decode(.clientData, .any, &record.oddFields, &buffer)
    }
    if present.contains(FieldSet(text)) {
      record.clientData = try decodeText(text, &record.oddFields, &buffer)
      record.isChallenge = kind == .attestation
    }
    guard present.contains(.clientDataHash) else { return }
    let decoded = try decode(.clientDataHash, .hash, &record.oddFields, &buffer)
    guard DecodedForm.hashLengths.contains(decoded.count) else {
      throw .length(.clientDataHash, decoded.count, "16 to 255")
    }
    record.clientDataHash = decoded
  }

  /// Takes the client data as the clientDataHash, which it has to be as long as.
  private func takeAsHash(
    _ kind: RecordKind, _ record: inout Record
  ) throws(FieldFault) {
    guard let data = record.clientData else { return }
    guard DecodedForm.hashLengths.contains(data.count) else {
      let text = Self.textField(kind)
      let field = kinds.present.contains(FieldSet(text)) ? text : .clientData
      throw .length(field, data.count, "16 to 255")
    }
    record.clientDataIsHash = true
  }

  /// Returns the time at which a request with a duration began (`records.R92`).
  private func decodeStart(_ end: Int64) throws(FieldFault) -> Int64 {
    let text = unsafe Span(_unsafeElements: text(.duration))
    guard let duration = LogTime.parse(number: text, in: reading.durationUnit), duration >= 0,
      LogTime.range.contains(end - duration)
    else {
      throw FieldFault(
        .badEncoding, .duration, "is not a number of \(reading.durationUnit.rawValue) from 0")
    }
    return end - duration
  }

  private func decodeCounter() throws(FieldFault) -> UInt32 {
    let text = unsafe attest_json_whole(values[LogField.serverCounter.rawValue]).text
    let isNumber = unsafe text.count <= 10 && text.allSatisfy { $0 &- UInt8(ascii: "0") <= 9 }
    guard isNumber, let counter = unsafe UInt32(String(decoding: text, as: UTF8.self)) else {
      throw FieldFault(
        .badEncoding, .serverCounter, "is not a whole number from 0 to 4294967295")
    }
    return counter
  }

  @inline(__always)
  func readDecision() -> Decision? {
    guard kinds.strings.contains(.decision) else { return nil }
    if isWord(.decision, "accepted") { return .accepted }
    if isWord(.decision, "rejected") { return .rejected }
    return nil
  }
}
