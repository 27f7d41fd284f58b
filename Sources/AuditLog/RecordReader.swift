/// Maps lines onto records by the default schema (`records.md`). One reader serves one thread.
package final class RecordReader {
  private let json: JSONLine
  private let isAppAttestObject: (Span<UInt8>) -> Bool

  /// `isAppAttestObject` tells whether bytes begin with a CBOR map that holds `authData` or
  /// `authenticatorData`: it decides whether another platform's record may be skipped.
  package init(isAppAttestObject: @escaping (Span<UInt8>) -> Bool) {
    json = JSONLine()
    self.isAppAttestObject = isAppAttestObject
  }

  /// Reads one line, behind which ``LineBatch/padding`` bytes are readable. The fields go into
  /// `buffer`, which is emptied first.
  package func read(
    _ line: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer
  ) -> RecordOutcome {
    buffer.removeAll()
    var duplicate: LogField?
    if let failure = unsafe json.read(line, duplicate: &duplicate) {
      return .reject(Reject(.malformedJSON, failure.reason))
    }
    if let duplicate {
      return .reject(Reject(.ambiguousField, "The field \(duplicate.name) stands twice."))
    }
    var record = Record()
    if namesAnotherPlatform {
      guard tokenIsAppAttest(&buffer) else { return .skipped }
      record.hasPlatformMismatch = true
    }
    do throws(Reject) {
      let kind = try resolveKind()
      record.kind = kind
      try refuseTwoClientData(kind, &buffer)
      try checkTypes(kind)
      try decode(kind, into: &record, &buffer)
    } catch {
      return .reject(error)
    }
    return .record(record)
  }

  // MARK: Another platform

  /// Whether `platform` or `format` is another one than App Attest's, case ignored.
  private var namesAnotherPlatform: Bool {
    let platform = json[.platform]
    let format = json[.format]
    if platform.kind == .string, unsafe !Self.equals(platform.text, "ios") { return true }
    return unsafe format.kind == .string && !Self.equals(format.text, "apple-app-attest")
  }

  private func tokenIsAppAttest(_ buffer: inout ByteBuffer) -> Bool {
    let token = json[.token]
    guard token.kind == .string, let range = unsafe Base64.decode(token.text, into: &buffer) else {
      return false
    }
    return isAppAttestObject(buffer.storage.span.extracting(range))
  }

  /// Whether `text` is `word`, ASCII letters compared without case.
  private static func equals(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<text.count {
      var byte = unsafe text[index]
      if byte >= UInt8(ascii: "A"), byte <= UInt8(ascii: "Z") { byte |= 0x20 }
      if unsafe byte != word.utf8Start[index] { return false }
    }
    return true
  }

  // MARK: Kind

  private func isPresent(_ field: LogField) -> Bool { json[field].isPresent }

  private func resolveKind() throws(Reject) -> LogRecordKind {
    let kind = json[.kind]
    if kind.isPresent {
      guard kind.kind == .string else { throw Self.wrongType(.kind) }
      if unsafe Self.isWord(kind.text, "attestation") { return .attestation }
      if unsafe Self.isWord(kind.text, "assertion") { return .assertion }
      if unsafe Self.isWord(kind.text, "challenge") { return .challenge }
      // What is missing comes before what cannot be decoded.
      try checkCommonTypes()
      throw Reject(.badEncoding, "The field kind holds an unknown word.")
    }
    guard isPresent(.token) else {
      if isPresent(.challenge) { return .challenge }
      throw Self.missing(.token)
    }
    if isPresent(.challenge) {
      if isPresent(.payload) {
        throw Reject(
          .ambiguousField, "The record has no kind, and both a challenge and a payload.")
      }
      return .attestation
    }
    if isPresent(.payload) || isPresent(.clientData) || isPresent(.clientDataHash) {
      return .assertion
    }
    throw Reject(.missingField, "The record has neither a kind nor client data to tell it by.")
  }

  /// Whether `text` is exactly `word`.
  private static func isWord(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<text.count {
      if unsafe text[index] != word.utf8Start[index] { return false }
    }
    return true
  }

  // MARK: Ambiguity, types, absence

  /// The field that holds client data as text, for a kind.
  private static func textField(_ kind: LogRecordKind) -> LogField {
    kind == .assertion ? .payload : .challenge
  }

  /// Refuses a `clientData` of other bytes beside a `payload` or `challenge`.
  private func refuseTwoClientData(
    _ kind: LogRecordKind, _ buffer: inout ByteBuffer
  ) throws(Reject) {
    let text = json[Self.textField(kind)]
    let data = json[.clientData]
    guard kind != .challenge, text.kind == .string, data.kind == .string,
      let range = unsafe Base64.decode(data.text, into: &buffer)
    else { return }
    guard unsafe buffer.storage[range].elementsEqual(text.text) else {
      throw Reject(
        .ambiguousField,
        "The field clientData holds other bytes than \(Self.textField(kind).name).")
    }
  }

  private static func wrongType(_ field: LogField) -> Reject {
    Reject(.missingField, "The field \(field.name) has the wrong type.")
  }

  private static func missing(_ field: LogField) -> Reject {
    Reject(.missingField, "The field \(field.name) is missing.")
  }

  private func checkTypes(_ kind: LogRecordKind) throws(Reject) {
    try checkCommonTypes()
    switch kind {
    case .attestation, .assertion:
      try need(.keyId)
      try need(.token)
      let text = Self.textField(kind)
      guard isPresent(text) || isPresent(.clientData) || isPresent(.clientDataHash) else {
        throw Self.missing(text)
      }
      try allow(text)
      try allow(.clientData)
      try allow(.clientDataHash)
    case .challenge:
      try need(.challenge)
    }
  }

  private func checkCommonTypes() throws(Reject) {
    try need(.time, orNumber: true)
    try allow(.appId)
    try allow(.subject, orNumber: true)
    try allow(.requestId, orNumber: true)
    try allow(.decision)
    try allow(.platform)
    try allow(.format)
  }

  private func need(_ field: LogField, orNumber: Bool = false) throws(Reject) {
    guard isPresent(field) else { throw Self.missing(field) }
    try allow(field, orNumber: orNumber)
  }

  private func allow(_ field: LogField, orNumber: Bool = false) throws(Reject) {
    switch json[field].kind {
    case .absent, .null, .string: return
    case .number where orNumber: return
    case .number, .other: throw Self.wrongType(field)
    }
  }

  // MARK: Decoding

  private func decode(
    _ kind: LogRecordKind, into record: inout Record, _ buffer: inout ByteBuffer
  ) throws(Reject) {
    record.time = try decodeTime()
    if kind == .challenge {
      record.clientData = unsafe buffer.append(copying: .init(json[.challenge].text))
      record.isChallenge = true
    } else {
      record.keyID = try decodeKeyID(&buffer)
      record.token = try decodeBase64(.token, &buffer)
      try decodeClientData(kind, into: &record, &buffer)
    }
    record.appID = copy(.appId, &buffer)
    record.subject = copy(.subject, &buffer)
    record.requestID = copy(.requestId, &buffer)
    record.decision = try decodeDecision()
  }

  private func decodeTime() throws(Reject) -> Int64 {
    let value = json[.time]
    let text = unsafe Span(_unsafeElements: value.text)
    let time =
      value.kind == .string ? LogTime.parse(rfc3339: text) : LogTime.parse(number: text)
    guard let time else {
      throw Reject(
        .badEncoding, "The field time is neither RFC 3339 with an offset nor a time in range.")
    }
    return time
  }

  private func decodeKeyID(_ buffer: inout ByteBuffer) throws(Reject) -> Range<Int> {
    let text = unsafe json[.keyId].text
    if text.count == 64, let range = unsafe HexDigits.decode(text, into: &buffer) {
      return range
    }
    let range = try decodeBase64(.keyId, &buffer)
    guard range.count == 32 else {
      throw Reject(.badEncoding, "The field keyId holds \(range.count) bytes, not 32.")
    }
    return range
  }

  private func decodeBase64(
    _ field: LogField, _ buffer: inout ByteBuffer
  ) throws(Reject) -> Range<Int> {
    guard let range = unsafe Base64.decode(json[field].text, into: &buffer) else {
      throw Reject(.badEncoding, "The field \(field.name) is not base64.")
    }
    return range
  }

  private func decodeClientData(
    _ kind: LogRecordKind, into record: inout Record, _ buffer: inout ByteBuffer
  ) throws(Reject) {
    let text = Self.textField(kind)
    if isPresent(.clientData) {
      record.clientData = try decodeBase64(.clientData, &buffer)
    }
    if isPresent(text) {
      record.clientData = unsafe buffer.append(copying: .init(json[text].text))
      record.isChallenge = kind == .attestation
    }
    guard isPresent(.clientDataHash) else { return }
    let hash = unsafe json[.clientDataHash].text
    var range: Range<Int>?
    if hash.count >= 32 { range = unsafe HexDigits.decode(hash, into: &buffer) }
    let decoded = if let range { range } else { try decodeBase64(.clientDataHash, &buffer) }
    guard (16...255).contains(decoded.count) else {
      throw Reject(
        .badEncoding, "The field clientDataHash holds \(decoded.count) bytes, not 16 to 255.")
    }
    record.clientDataHash = decoded
  }

  private func copy(_ field: LogField, _ buffer: inout ByteBuffer) -> Range<Int>? {
    let value = json[field]
    guard value.isPresent else { return nil }
    return unsafe buffer.append(copying: .init(value.text))
  }

  private func decodeDecision() throws(Reject) -> LogDecision {
    let decision = json[.decision]
    guard decision.isPresent else { return .unknown }
    if unsafe Self.isWord(decision.text, "accepted") { return .accepted }
    if unsafe Self.isWord(decision.text, "rejected") { return .rejected }
    throw Reject(.badEncoding, "The field decision holds an unknown word.")
  }
}
