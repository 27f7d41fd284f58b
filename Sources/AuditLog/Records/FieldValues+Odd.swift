internal import CSimdjson

/// What bytes have to be like for the reading that gave them to count.
enum DecodedForm {
  case any, keyIdentifier, hash
  /// CBOR that begins with a map, behind any tags.
  case map

  /// How many bytes a clientDataHash has.
  static let hashLengths = 16...255

  @inline(__always)
  func isMet(by buffer: borrowing ByteBuffer, _ range: Range<Int>) -> Bool {
    switch self {
    case .any: true
    case .keyIdentifier: range.count == 32
    case .hash: Self.hashLengths.contains(range.count)
    case .map: CBORFront.isMap(buffer.storage.span.extracting(range))
    }
  }
}

/// Encodings that lenient servers take and strict ones refuse (`records.md`, "Odd encodings").
extension FieldValues {
  /// The first odd reading of a field that gives what it needs, noted in `odd`; else the strict one,
  /// where there is one.
  @inline(never)
  func decodeOddly(
    _ field: LogField, _ strict: Range<Int>?, _ needs: DecodedForm, _ odd: inout FieldSet,
    _ buffer: inout ByteBuffer
  ) throws(FieldFault) -> Range<Int> {
    if isBase64(field) {
      for spaces in Base64.Space.allCases {
        let range = unsafe Base64.decodeLoosely(text(field), spaces: spaces, into: &buffer)
        guard let range, needs.isMet(by: buffer, range) else { continue }
        odd.insert(FieldSet(field))
        return range
      }
    }
    guard let strict else { throw .encoding(field, encoding(field)) }
    return strict
  }

  /// The bytes of a string by its encoding, read strictly or else oddly; nil where neither can be.
  func decodedAnyhow(_ field: LogField, _ buffer: inout ByteBuffer) -> Range<Int>? {
    if let strict = decoded(field, &buffer) { return strict }
    var odd = FieldSet()
    return try? decodeOddly(field, nil, .any, &odd, &buffer)
  }

  /// The first of `platform` and `format` that is another one than App Attest's, case ignored.
  @inline(__always)
  var foreignField: LogField? {
    let strings = kinds.strings
    if strings.isDisjoint(with: [.platform, .format]) { return nil }
    if strings.contains(.platform), !equals(.platform, "ios") { return .platform }
    if strings.contains(.format), !equals(.format, "apple-app-attest") { return .format }
    return nil
  }

  /// Copies the beginning of the text of ``foreignField``.
  func copyForeignName(_ buffer: inout ByteBuffer) -> Range<Int>? {
    let longest = 64
    guard let field = foreignField else { return nil }
    return unsafe buffer.append(
      copying: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text(field).prefix(longest))))
  }

  /// Whether no reading of the token can be one of App Attest's: `isAppAttestObject` tells whether
  /// bytes begin, behind any tags, with a CBOR map that holds `authData` or `authenticatorData`.
  func tokenIsSomethingElse(
    _ isAppAttestObject: (Span<UInt8>) -> Bool, _ buffer: inout ByteBuffer
  ) -> Bool {
    guard kinds.present.contains(.token) else { return true }
    guard kinds.strings.contains(.token) else { return false }
    func isSomethingElse(_ range: Range<Int>) -> Bool {
      let bytes = buffer.storage.span.extracting(range)
      return !Self.namesAuthenticatorData(bytes) && !isAppAttestObject(bytes)
    }
    let strict = decoded(.token, &buffer)
    if let strict, !isSomethingElse(strict) { return false }
    let text = unsafe text(.token)
    for spaces in Base64.Space.allCases {
      // Without spaces there is one odd reading, and none where the strict one is there.
      guard spaces == .plus ? strict == nil : unsafe Base64.mayHoldSpaces(text) else { continue }
      let range = unsafe Base64.decodeLoosely(
        text, spaces: spaces, dropsLeftOver: true, into: &buffer)
      if let range, !isSomethingElse(range) { return false }
    }
    return true
  }

  /// Whether one of the names that all tokens hold stands in the bytes, wherever.
  private static func namesAuthenticatorData(_ bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      let text = unsafe start.assumingMemoryBound(to: UInt8.self)
      return unsafe attest_names_authenticator_data(text, bytes.count) != 0
    }
  }

  private func isBase64(_ field: LogField) -> Bool {
    switch encoding(field) {
    case .base64, .base64url, .auto: true
    case .utf8, .hex, .raw: false
    }
  }
}
