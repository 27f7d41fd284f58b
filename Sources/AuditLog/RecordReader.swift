internal import Glibc

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
    let kinds = json.kinds
    if namesAnotherPlatform(kinds) {
      guard tokenIsAppAttest(&buffer) else { return .skipped }
      record.hasPlatformMismatch = true
    }
    do throws(Reject) {
      let kind = try resolveKind(kinds.present)
      record.kind = kind
      try refuseTwoClientData(kind, kinds, &buffer)
      if !Self.isOrdinary(kind, kinds) { try checkTypes(kind) }
      try decode(kind, kinds.present, into: &record, &buffer)
    } catch {
      return .reject(error)
    }
    return .record(record)
  }

  // MARK: Another platform

  /// Whether `platform` or `format` is another one than App Attest's, case ignored.
  private func namesAnotherPlatform(_ kinds: FieldKinds) -> Bool {
    if kinds.strings.isDisjoint(with: [.platform, .format]) { return false }
    if kinds.strings.contains(.platform), unsafe !Self.equals(json.text(.platform), "ios") {
      return true
    }
    return unsafe kinds.strings.contains(.format)
      && !Self.equals(json.text(.format), "apple-app-attest")
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

  private func resolveKind(_ present: FieldSet) throws(Reject) -> LogRecordKind {
    if present.contains(.kind) {
      let kind = json[.kind]
      guard kind.kind == .string else { throw Self.wrongType(.kind) }
      if unsafe Self.isWord(kind.text, "attestation") { return .attestation }
      if unsafe Self.isWord(kind.text, "assertion") { return .assertion }
      if unsafe Self.isWord(kind.text, "challenge") { return .challenge }
      // What is missing comes before what cannot be decoded.
      try checkCommonTypes()
      throw Reject(.badEncoding, "The field kind holds an unknown word.")
    }
    guard present.contains(.token) else {
      if present.contains(.challenge) { return .challenge }
      throw Self.missing(.token)
    }
    if present.contains(.challenge) {
      if present.contains(.payload) {
        throw Reject(
          .ambiguousField, "The record has no kind, and both a challenge and a payload.")
      }
      return .attestation
    }
    if !present.isDisjoint(with: [.payload, .clientData, .clientDataHash]) { return .assertion }
    throw Reject(.missingField, "The record has neither a kind nor client data to tell it by.")
  }

  /// Whether `text` is exactly `word`.
  private static func isWord(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount, let start = text.baseAddress else { return false }
    return unsafe memcmp(start, word.utf8Start, text.count) == 0
  }

  // MARK: Ambiguity, types, absence

  /// The field that holds client data as text, for a kind.
  private static func textField(_ kind: LogRecordKind) -> LogField {
    kind == .assertion ? .payload : .challenge
  }

  /// Refuses a `clientData` of other bytes beside a `payload` or `challenge`.
  private func refuseTwoClientData(
    _ kind: LogRecordKind, _ kinds: FieldKinds, _ buffer: inout ByteBuffer
  ) throws(Reject) {
    let field = Self.textField(kind)
    guard kind != .challenge, kinds.strings.isSuperset(of: [.clientData, FieldSet(field)]),
      let range = unsafe Base64.decode(json.text(.clientData), into: &buffer)
    else { return }
    let text = unsafe json.text(field)
    let isSame = unsafe buffer.storage.withUnsafeBytes { bytes in
      guard range.count == text.count else { return false }
      guard let start = text.baseAddress, let data = bytes.baseAddress else { return true }
      return unsafe memcmp(data + range.lowerBound, start, text.count) == 0
    }
    guard isSame else {
      throw Reject(
        .ambiguousField, "The field clientData holds other bytes than \(field.name).")
    }
  }

  private static func wrongType(_ field: LogField) -> Reject {
    Reject(.missingField, "The field \(field.name) has the wrong type.")
  }

  private static func missing(_ field: LogField) -> Reject {
    Reject(.missingField, "The field \(field.name) is missing.")
  }

  /// Whether the record has all it needs, and nothing of a type that is not allowed in any field:
  /// then the checks below find nothing.
  private static func isOrdinary(_ kind: LogRecordKind, _ kinds: FieldKinds) -> Bool {
    let present = kinds.present
    guard kind != .challenge, kinds.others.isEmpty,
      kinds.numbers.isSubset(of: [.time, .subject, .requestId]),
      present.isSuperset(of: [.time, .keyId, .token])
    else { return false }
    return !present.isDisjoint(with: [.clientData, .clientDataHash, FieldSet(textField(kind))])
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
    _ kind: LogRecordKind, _ present: FieldSet, into record: inout Record,
    _ buffer: inout ByteBuffer
  ) throws(Reject) {
    record.time = try decodeTime()
    if kind == .challenge {
      record.clientData = copy(.challenge, &buffer)
      record.isChallenge = true
    } else {
      record.keyID = try decodeKeyID(&buffer)
      record.token = try decodeBase64(.token, &buffer)
      try decodeClientData(kind, present, into: &record, &buffer)
    }
    if present.contains(.appId) { record.appID = copy(.appId, &buffer) }
    if present.contains(.subject) { record.subject = copy(.subject, &buffer) }
    if present.contains(.requestId) { record.requestID = copy(.requestId, &buffer) }
    if present.contains(.decision) { record.decision = try decodeDecision() }
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
    let text = unsafe json.text(.keyId)
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
    guard let range = unsafe Base64.decode(json.text(field), into: &buffer) else {
      throw Reject(.badEncoding, "The field \(field.name) is not base64.")
    }
    return range
  }

  private func decodeClientData(
    _ kind: LogRecordKind, _ present: FieldSet, into record: inout Record,
    _ buffer: inout ByteBuffer
  ) throws(Reject) {
    let text = Self.textField(kind)
    if present.contains(.clientData) {
      record.clientData = try decodeBase64(.clientData, &buffer)
    }
    if present.contains(FieldSet(text)) {
      record.clientData = copy(text, &buffer)
      record.isChallenge = kind == .attestation
    }
    guard present.contains(.clientDataHash) else { return }
    let hash = unsafe json.text(.clientDataHash)
    var range: Range<Int>?
    if hash.count >= 32 { range = unsafe HexDigits.decode(hash, into: &buffer) }
    let decoded = if let range { range } else { try decodeBase64(.clientDataHash, &buffer) }
    guard (16...255).contains(decoded.count) else {
      throw Reject(
        .badEncoding, "The field clientDataHash holds \(decoded.count) bytes, not 16 to 255.")
    }
    record.clientDataHash = decoded
  }

  /// Copies the text of a field, which is a string or a number.
  private func copy(_ field: LogField, _ buffer: inout ByteBuffer) -> Range<Int> {
    unsafe buffer.append(copying: .init(json.text(field)))
  }

  private func decodeDecision() throws(Reject) -> LogDecision {
    let decision = unsafe json.text(.decision)
    if unsafe Self.isWord(decision, "accepted") { return .accepted }
    if unsafe Self.isWord(decision, "rejected") { return .rejected }
    throw Reject(.badEncoding, "The field decision holds an unknown word.")
  }
}
