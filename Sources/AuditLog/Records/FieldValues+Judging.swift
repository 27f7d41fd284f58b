internal import Glibc

/// Ambiguity, then types and absence.
extension FieldValues {
  enum Kind {
    case record(RecordKind, isInferred: Bool)
    case deviceCheckToken
  }

  func resolveKind(_ buffer: inout ByteBuffer) throws(FieldFault) -> Kind {
    let present = kinds.present
    switch reading.kind {
    case .fixed(let kind): return try said(kind, present)
    case .deviceCheckToken: return .deviceCheckToken
    case .mapped where !present.contains(.kind): throw .missing(.kind)
    case .mapped, .inferred: break
    }
    guard present.contains(.kind) else {
      return .record(try inferKind(present), isInferred: true)
    }
    guard kinds.strings.contains(.kind) else { throw .wrongType(.kind) }
    if isWord(.kind, "attestation") { return try said(.attestation, present) }
    if isWord(.kind, "assertion") { return try said(.assertion, present) }
    if isWord(.kind, "challenge") { return try said(.challenge, present) }
    if reading.kind == .mapped, isWord(.kind, "deviceCheckToken") { return .deviceCheckToken }
    // Ambiguity, types and absence come before what cannot be decoded (records.R49).
    try refuseTwoClientData(.assertion, &buffer)
    try checkCommonTypes()
    try allow(.keyId, .deviceId, .token, .clientData, .clientDataHash)
    throw .unknownWord(.kind)
  }

  /// Returns a kind that the line or its rule says. A challenge that is issued has no token.
  @inline(__always)
  private func said(_ kind: RecordKind, _ present: FieldSet) throws(FieldFault) -> Kind {
    if kind == .challenge, present.contains(.token) {
      throw FieldFault(.ambiguousField) { name in
        "The record is a challenge issued, and has a \(name(.token)) all the same."
      }
    }
    return .record(kind, isInferred: false)
  }

  /// Fields of requests. A request that lost its token must not pass for a challenge that was issued.
  private static let partsOfRequests: FieldSet = [.keyId, .token, .decision, .platform, .format]

  private func inferKind(_ present: FieldSet) throws(FieldFault) -> RecordKind {
    guard present.contains(.token) else {
      let isAlone = present.union(kinds.shadows).isDisjoint(with: Self.partsOfRequests)
      if isAlone, present.contains(.challenge) { return .challenge }
      throw .missing(.token)
    }
    if present.contains(.challenge) {
      if present.contains(.payload) {
        throw FieldFault(.ambiguousField) { _ in
          "The record has no kind, and both a challenge and a payload."
        }
      }
      return .attestation
    }
    if !present.isDisjoint(with: [.payload, .clientData, .clientDataHash]) { return .assertion }
    throw FieldFault(.missingField) { _ in
      "The record has neither a kind nor client data to tell it by."
    }
  }

  /// Refuses a `clientData` of other bytes beside a `payload` or `challenge`.
  func refuseTwoClientData(
    _ kind: RecordKind, _ buffer: inout ByteBuffer
  ) throws(FieldFault) {
    let field = Self.textField(kind)
    guard kind != .challenge, kinds.strings.isSuperset(of: [.clientData, FieldSet(field)]),
      let data = decodedAnyhow(.clientData, &buffer), let text = decodedAnyhow(field, &buffer)
    else { return }
    let isSame = unsafe buffer.storage.withUnsafeBytes { bytes in
      guard data.count == text.count else { return false }
      guard let start = bytes.baseAddress else { return true }
      return unsafe memcmp(start + data.lowerBound, start + text.lowerBound, data.count) == 0
    }
    guard isSame else {
      throw FieldFault(.ambiguousField) { name in
        "The field \(name(.clientData)) contains other bytes than \(name(field))."
      }
    }
  }

  /// Returns whether all needed fields are present and all types allowed: `checkTypes` finds nothing.
  @inline(__always)
  func isOrdinary(_ kind: RecordKind) -> Bool {
    let present = kinds.present
    guard kind != .challenge, kinds.others.isEmpty,
      kinds.numbers.isSubset(of: [.time, .subject, .requestId]),
      present.isSuperset(of: [.time, .keyId, .token])
    else { return false }
    return !present.isDisjoint(
      with: [.clientData, .clientDataHash, FieldSet(Self.textField(kind))])
  }

  func checkTypes(_ kind: RecordKind) throws(FieldFault) {
    try checkCommonTypes()
    let present = kinds.present
    guard kind != .challenge else { return try need(.challenge) }
    if kind == .attestation || !present.contains(.deviceId) { try need(.keyId) }
    try allow(.keyId, .deviceId)
    if kind == .assertion { try allow(.serverCounter) }
    try need(.token)
    let text = Self.textField(kind)
    guard !present.isDisjoint(with: [FieldSet(text), .clientData, .clientDataHash]) else {
      throw .missing(reading.clientDataField ?? text)
    }
    try allow(text, .clientData, .clientDataHash)
  }

  func checkDeviceCheckToken() throws(FieldFault) { try need(.token) }

  private func checkCommonTypes() throws(FieldFault) {
    try need(.time)
    try allow(
      .appId, .subject, .requestId, .clientIP, .userAgent, .route, .duration, .decision, .platform,
      .format)
  }

  private func need(_ field: LogField) throws(FieldFault) {
    guard kinds.present.contains(FieldSet(field)) else { throw .missing(field) }
    try allow(field)
  }

  /// The fields that can be numbers as well as strings.
  private static let numbers: FieldSet = [
    .time, .subject, .requestId, .duration, .deviceId, .serverCounter,
  ]

  private func allow(_ fields: LogField...) throws(FieldFault) {
    let wrong = kinds.others.union(kinds.numbers.subtracting(Self.numbers))
    for field in fields where wrong.contains(FieldSet(field)) { throw .wrongType(field) }
  }
}
