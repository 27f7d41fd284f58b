internal import Basics
internal import OpenSSL

/// The DER encodings that ordinary certificates and receipts are made of.
enum DERForm {
  static let bitString: UInt64 = 3
  private static let utcTime: UInt64 = 23
  private static let objectIdentifier: UInt64 = 6
  private static let utf8String: UInt64 = 12
  private static let printableString: UInt64 = 19

  /// AlgorithmIdentifier ecdsa-with-SHA256 (RFC 5758, 3.2).
  static let ecdsaWithSHA256: [UInt8] = [
    0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02,
  ]
  /// The version of an X.509 v3 certificate, [0] { INTEGER 2 }.
  static let version3: [UInt8] = [0xA0, 0x03, 0x02, 0x01, 0x02]
  /// A SubjectPublicKeyInfo of id-ecPublicKey on secp256r1 (RFC 5480), up to the point's 04.
  static let p256KeyHead: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]
  /// basicConstraints, critical, of an end entity: { } (RFC 5280, 4.2.1.9).
  static let basicConstraints: [UInt8] = [
    0x06, 0x03, 0x55, 0x1D, 0x13, 0x01, 0x01, 0xFF, 0x04, 0x02, 0x30, 0x00,
  ]
  /// keyUsage, critical, with the first four bits (RFC 5280, 4.2.1.3).
  static let keyUsage: [UInt8] = [
    0x06, 0x03, 0x55, 0x1D, 0x0F, 0x01, 0x01, 0xFF, 0x04, 0x04, 0x03, 0x02, 0x04, 0xF0,
  ]
  /// The identifier of extKeyUsage, not critical (RFC 5280, 4.2.1.12).
  static let extendedKeyUsage: [UInt8] = [0x06, 0x03, 0x55, 0x1D, 0x25]
  /// The beginning of the identifiers 1.2.840.113635.100.8.n, without n.
  static let appleExtension: [UInt8] = [
    0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08,
  ]
  /// The beginning of the identifiers 2.5.4.n, without n.
  private static let attributeType: [UInt8] = [0x06, 0x03, 0x55, 0x04]

  /// Reads a serial number: positive, in its shortest form, of at most 20 bytes.
  static func serial(_ reader: inout DERReader, _ bytes: Span<UInt8>) -> Range<Int>? {
    guard let number = reader.next(DERReader.integer, in: bytes), (1...20).contains(number.count)
    else { return nil }
    let first = bytes[number.lowerBound]
    let isShortest = first > 0 || number.count == 1 || bytes[number.lowerBound + 1] >= 0x80
    return first < 0x80 && isShortest ? number : nil
  }

  /// Reads two UTCTimes, the first not after the second.
  static func validity(_ range: Range<Int>, _ bytes: Span<UInt8>) -> ClosedRange<Int64>? {
    var reader = DERReader(range)
    guard let first = reader.next(utcTime, in: bytes), let last = reader.next(utcTime, in: bytes),
      reader.isAtEnd, let start = UTCTime.seconds(bytes.extracting(first)),
      let end = UTCTime.seconds(bytes.extracting(last)), start <= end
    else { return nil }
    return start...end
  }

  /// Returns whether a Name consists of sets of one attribute 2.5.4.n with printable ASCII.
  static func isPlainName(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    var reader = DERReader(range)
    guard !reader.isAtEnd else { return false }
    while !reader.isAtEnd {
      guard let set = reader.next(DERReader.set, in: bytes),
        let pair = DERReader.only(DERReader.sequence, set, in: bytes)
      else { return false }
      var parts = DERReader(pair)
      guard parts.pass(attributeType, in: bytes), let type = parts.nextByte(in: bytes),
        type < 0x80, let text = parts.next(in: bytes), parts.isAtEnd, !text.content.isEmpty,
        text.tag == utf8String || text.tag == printableString,
        bytes.extracting(text.content).isPrintableASCII
      else { return false }
    }
    return true
  }

  /// Returns whether a value is a SEQUENCE of object identifiers in their shortest form.
  static func isListOfIdentifiers(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    guard let list = DERReader.only(DERReader.sequence, range, in: bytes), !list.isEmpty else {
      return false
    }
    var reader = DERReader(list)
    while !reader.isAtEnd {
      guard let identifier = reader.next(objectIdentifier, in: bytes), !identifier.isEmpty,
        bytes[identifier.upperBound - 1] < 0x80
      else { return false }
      for index in identifier where bytes[index] == 0x80 {
        guard index > identifier.lowerBound, bytes[index - 1] >= 0x80 else { return false }
      }
    }
    return true
  }
}

/// Times of certificates up to 2049: YYMMDDHHMMSSZ (RFC 5280, 4.1.2.5.1).
enum UTCTime {
  /// Returns the time in seconds since 1970, or nil for any other text.
  static func seconds(_ text: Span<UInt8>) -> Int64? {
    guard text.count == 13, text[12] == UInt8(ascii: "Z") else { return nil }
    var numbers = InlineArray<6, Int>(repeating: 0)
    for index in 0..<12 {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      numbers[index / 2] = numbers[index / 2] * 10 + Int(digit)
    }
    var fields = CivilFields()
    fields.year = numbers[0] < 50 ? 2000 + numbers[0] : 1900 + numbers[0]
    fields.month = numbers[1]
    fields.day = numbers[2]
    fields.hour = numbers[3]
    fields.minute = numbers[4]
    fields.second = numbers[5]
    guard fields.second < 60, let time = fields.time else { return nil }
    return time / 1000
  }
}
