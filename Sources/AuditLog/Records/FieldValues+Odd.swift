internal import CSimdjson

/// The form that bytes must have for the reading that gave them to count.
enum DecodedForm {
  case any, keyIdentifier, hash
  /// CBOR that begins with a map, behind any tags.
  case map

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

  /// Whether a text hardly has this form by chance: then rare readings are tried beside others.
  var isTelling: Bool {
    switch self {
    case .any, .hash: false
    case .keyIdentifier, .map: true
    }
  }

  /// Returns whether a strict reading is final. A token with spaces has two readings.
  @inline(__always)
  func isSettled(_ hasSpaces: Bool) -> Bool {
    guard case .map = self else { return true }
    return !hasSpaces
  }

  /// Returns whether no other reading can be a better one.
  func isFulfilled(by buffer: borrowing ByteBuffer, _ range: Range<Int>) -> Bool {
    guard isMet(by: buffer, range) else { return false }
    guard case .map = self else { return true }
    return Self.namesAuthenticatorData(buffer.storage.span.extracting(range))
  }

  static func namesAuthenticatorData(_ bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe attest_names_authenticator_data(start, bytes.count) != 0
    }
  }
}

/// Encodings that lenient servers take and strict ones refuse (`records.md`, "Odd encodings").
extension FieldValues {
  /// Returns the first odd reading of a field that gives what it needs, noted in `odd`, or else the
  /// strict one, if there is one. Of a token's readings one that names authenticator data goes
  /// before others.
  @inline(never)
  func decodeOddly(
    _ field: LogField, _ strict: Range<Int>?, _ needs: DecodedForm, _ odd: inout FieldSet,
    _ buffer: inout ByteBuffer
  ) throws(FieldFault) -> Range<Int> {
    if kinds.arrays.contains(FieldSet(field)), let strict {
      odd.insert(FieldSet(field))
      return strict
    }
    if isBase64(field), let bytes = decodeHex(field, strict, needs, &buffer) {
      odd.insert(FieldSet(field))
      return bytes
    }
    if let strict, needs.isFulfilled(by: buffer, strict) { return strict }
    var second = strict.flatMap { needs.isMet(by: buffer, $0) ? $0 : nil }
    let isStrict = second != nil
    if isBase64(field) {
      let text = unsafe text(field)
      let signs = unsafe Base64.Signs(text)
      for reading in Base64.Reading.allCases where reading.isDistinct(signs) {
        // Where bytes may come of a text by chance, rare readings are the last resort.
        guard needs.isTelling || !reading.isRare || (strict == nil && second == nil) else { break }
        let range = unsafe Base64.decodeLoosely(text, reading, into: &buffer)
        guard let range, needs.isMet(by: buffer, range) else { continue }
        if needs.isFulfilled(by: buffer, range) {
          odd.insert(FieldSet(field))
          return range
        }
        second = second ?? range
      }
    }
    guard let range = second ?? strict else {
      throw FieldFault(
        .badEncoding, field, "is not \(encoding(field) == .hex ? "hex digits" : "base64")")
    }
    if second != nil, !isStrict { odd.insert(FieldSet(field)) }
    return range
  }

  /// Returns the bytes of a base64 field that is written in hex (`records.R82`), if they are as needed.
  private func decodeHex(
    _ field: LogField, _ strict: Range<Int>?, _ needs: DecodedForm, _ buffer: inout ByteBuffer
  ) -> Range<Int>? {
    let text = unsafe text(field)
    let prefix = unsafe HexDigits.prefix(text)
    guard prefix > 0 || strict.map({ !needs.isMet(by: buffer, $0) }) ?? true,
      text.count > prefix,
      let bytes = unsafe HexDigits.decode(
        UnsafeBufferPointer(rebasing: text[prefix...]), into: &buffer)
    else { return nil }
    return needs.isMet(by: buffer, bytes) ? bytes : nil
  }

  /// Returns whether a field is neither an array of numbers nor hex with a prefix.
  @inline(__always)
  func isPlain(_ field: LogField) -> Bool {
    let text = unsafe text(field)
    guard let first = unsafe text.first else { return true }
    if first == UInt8(ascii: "0") { return unsafe HexDigits.prefix(text) == 0 }
    return first != UInt8(ascii: "[") && first != UInt8(ascii: "{")
  }

  /// The fields whose bytes can be written as an array of numbers.
  private static let byteFields: FieldSet = [.keyId, .token, .clientData, .clientDataHash]

  /// Takes the values that are arrays of numbers for strings (`records.R82`).
  mutating func takeArrays(_ buffer: inout ByteBuffer) {
    for field in LogField.allCases where Self.byteFields.contains(FieldSet(field)) {
      guard kinds.others.contains(FieldSet(field)), isBase64(field),
        unsafe ByteArray.decode(text(field), into: &buffer) != nil
      else { continue }
      kinds.others.remove(FieldSet(field))
      kinds.strings.insert(FieldSet(field))
      kinds.arrays.insert(FieldSet(field))
    }
  }

  @inline(__always)
  var mayHaveArrays: Bool { !kinds.others.isDisjoint(with: Self.byteFields) }

  /// Returns the bytes of a string, read strictly or else oddly, or nil.
  func decodedAnyhow(_ field: LogField, _ buffer: inout ByteBuffer) -> Range<Int>? {
    let strict = decoded(field, &buffer)
    if let strict, isPlain(field) { return strict }
    var odd = FieldSet()
    return try? decodeOddly(field, strict, .any, &odd, &buffer)
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

  func copyForeignName(_ buffer: inout ByteBuffer) -> Range<Int>? {
    let longest = 64
    guard let field = foreignField else { return nil }
    return unsafe buffer.append(
      copying: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text(field).prefix(longest))))
  }

  /// Returns whether no reading of the token can be one of App Attest's (`records.R32`).
  func tokenIsSomethingElse(
    _ isAppAttestObject: (Span<UInt8>) -> Bool, _ buffer: inout ByteBuffer
  ) -> Bool {
    guard kinds.present.contains(.token) else { return true }
    guard kinds.strings.contains(.token) else { return false }
    func isSomethingElse(_ range: Range<Int>) -> Bool {
      let bytes = buffer.storage.span.extracting(range)
      return !DecodedForm.namesAuthenticatorData(bytes) && !isAppAttestObject(bytes)
    }
    let strict = decoded(.token, &buffer)
    if let strict, !isSomethingElse(strict) { return false }
    guard !kinds.arrays.contains(.token) else { return true }
    let text = unsafe text(.token)
    if isBase64(.token), let bytes = decodeHex(.token, nil, .any, &buffer), !isSomethingElse(bytes)
    {
      return false
    }
    let signs = unsafe Base64.Signs(text)
    for (index, reading) in Base64.Reading.allCases.enumerated() where reading.isDistinct(signs) {
      // The first odd reading is the strict one, where that is there.
      if strict != nil, index == 0 { continue }
      let range = unsafe Base64.decodeLoosely(text, reading, dropsLeftOver: true, into: &buffer)
      if let range, !isSomethingElse(range) { return false }
    }
    return true
  }

  private func isBase64(_ field: LogField) -> Bool {
    switch encoding(field) {
    case .base64, .base64url, .auto: true
    case .utf8, .hex, .raw: false
    }
  }
}
