import Testing

@testable import AuditLog

extension Base64.Reading {
  fileprivate static let percentsAndPlus = Self(decodesPercents: true, takesSpaces: true)
  fileprivate static let percentsDecoded = Self(decodesPercents: true, takesSpaces: false)
  fileprivate static let spacesArePlus = Self(decodesPercents: false, takesSpaces: true)
  fileprivate static let plain = Self(decodesPercents: false, takesSpaces: false)
}

@Suite struct `Odd encodings` {
  /// A record with that token, of which the tests' A1 begins a map.
  private func token(_ text: String) -> ReadRecord {
    readRecord(
      "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"payload\":\"p\",\"token\":\(quoted(text))}")
  }

  private func loose(_ text: String, _ reading: Base64.Reading = .percentsAndPlus) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: 64)
    let bytes = Array(text.utf8)
    let range = unsafe bytes.withUnsafeBufferPointer {
      unsafe Base64.decodeLoosely($0, reading, into: &buffer)
    }
    return range.map { Array(buffer.storage[$0]) }
  }

  @Test(arguments: [
    ("", ""), ("Zm9v", "foo"), ("Zg", "f"), ("Zg=", "f"), ("Zg==", "f"), ("Zg===", "f"),
    ("Z!g=\u{0}=", "f"), ("=Zm9v", "foo"), ("Z=m=9v", "foo"), ("Zg==Zm9v", "f"),
    ("Zm8=Zm9v", "fo"), ("Zm9v=Zm9v", "foofoo"), ("Zm=9v", "foo"), ("Zh", "f"),
    ("Zm9%76", "foo"), ("Zm9v%3D", "foo"), ("Zg%3d%3D", "f"), ("Zm9v%", "foo"),
    ("Zm9vé", "foo"), ("%5Am9v", "foo"), ("Zm%9", "fo"), ("Zm9vZ", nil), ("Z", nil), ("%5", nil),
    ("{\"a\"}", nil), ("%2541", nil),
  ])
  // records.R34.
  func `lenient decoders pass over what they do not know`(_ text: String, _ content: String?) {
    // A percent sign is decoded once: what it gives is passed over.
    let expected = text == "%2541" ? [0xE3] : content.map { Array($0.utf8) }
    #expect(loose(text) == expected)
  }

  // records.R35, records.R36.
  @Test func `both alphabets are taken at once, and spaces as told`() {
    #expect(loose("+_-/") == [0xFB, 0xFF, 0xBF])
    #expect(loose("- _/") == [0xFB, 0xEF, 0xFF])
    #expect(loose("Zm 9v") == nil)
    #expect(loose("Zm 9v", .percentsDecoded) == Array("foo".utf8))
    #expect(loose("Zm%209v", .percentsDecoded) == Array("foo".utf8))
  }

  @Test func `percent signs are decoded, or passed over alone`() {
    #expect(loose("Zm%39v") == Array("foo".utf8) && loose("Zm%39v", .spacesArePlus) == nil)
    #expect(loose("Zm%39v%", .plain) == nil)
    #expect(loose("Z%6d9v") == Array("foo".utf8))
    #expect(loose("Zm9%76", .plain) == loose("Zm976"))
    #expect(loose("Z%m9v", .plain) == Array("foo".utf8))
    #expect(loose("%5Am9v", .plain) == loose("5Am9v"))
  }

  @Test func `a dash is a character, or passed over as others are`() {
    let drops = Base64.Reading(decodesPercents: true, takesSpaces: true, dropsDashes: true)
    for text in ["Zm9v", "-Z_m-9_v-", "Z%2Dm9%5Fv", "Zm9v=-=", "Zm-=-9v"] {
      #expect(loose(text, drops) == Array("foo".utf8), "\(text)")
    }
    #expect(loose("Zm-9", drops) == Array("fo".utf8) && loose("Z-", drops) == nil)
  }

  @Test func `what is outside ASCII is passed over, or the lower half of its units`() {
    let cuts = Base64.Reading(decodesPercents: true, takesSpaces: true, cutsUnits: true)
    // The last one's units are D800 and DC39.
    for text in [
      "Zm9v", "\u{15A}m9v", "\u{15A}\u{4E6D}\u{139}\u{FF76}", "%C5%9Am9v", "Zm\u{10039}v",
    ] {
      #expect(loose(text, cuts) == Array("foo".utf8), "\(text)")
    }
    #expect(loose("\u{15A}m9v") == loose("m9v") && loose("Zm9v%", cuts) == Array("foo".utf8))
  }

  @Test(arguments: [
    "o-W-h-h-d-X-R-o-R-G-F-0-Y-Q-=-=", "oWhh_dXRo_RGF0_YQ", "o%2DWhhdXRoRGF0YQ", "o- WhhdXRoRGF0YQ",
    "\u{16F}WhhdXRoRGF0YQ", "oWh\u{168}dX\u{4E52}oRGF0YQ==", "o%C5%97hhdXRoRGF0YQ",
    "\u{16F}Whh\u{120}dXRoRG\u{FF20}F0YQ",
  ])
  func `what Python, Java and Node decode is audited, whatever its platform`(_ text: String) {
    for more in ["", "\"platform\":\"android\","] {
      let read = readRecord(
        "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"payload\":\"p\",\(more)\"token\":\"\(text)\"}")
      #expect(read.outcome == "assertion" && read.odd == ["token"], "\(read)")
      #expect(read.token == Array([0xA1, 0x68] + "authData".utf8), "\(read)")
    }
  }

  @Test(arguments: ["oWhhd%58RoRGF0YQ==", "oWhhdX%RoRGF0YQ==", "oWh hdXRoRGF0YQ=="])
  func `of a token's readings that are maps the one that names its data counts`(_ text: String) {
    let read = token(text)
    #expect(read.token == Array([0xA1, 0x68] + "authData".utf8), "\(read)")
    #expect(read.odd == ["token"])
  }

  @Test(arguments: ["oWhhd%XRoRGF0YQ", "oW%hhdXRoRGF0YQ", "oWhhdXRo%RGF0YQ", "oWhhdXRoRG%F0YQ"])
  func `neither reading of a percent sign hides a token`(_ text: String) {
    for more in ["", "\"platform\":\"android\","] {
      let read = readRecord(
        "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"payload\":\"p\",\(more)\"token\":\"\(text)\"}")
      #expect(read.outcome == "assertion", "\(read)")
      #expect(read.token == Array([0xA1, 0x68] + "authData".utf8), "\(read)")
    }
  }

  @Test(arguments: [
    "oQ=", "oQ===", "o!Q==", "oQ==!", "oR==", "oR", "%6fQ==", "oQ%3D%3D", "o\u{0}Q", "oQ==oQ==",
    "oQ-+", "oQé", "=oQ==", " oQ==", "o Q ==", "\u{A0}oQ==", "o\u{B}Q",
  ])
  // records.R35, records.R38.
  func `what a lenient server decodes is audited in full, and said to be odd`(_ text: String) {
    let read = token(text)
    #expect(read.outcome == "assertion" && read.odd == ["token"], "\(read)")
    #expect(read.token.first == 0xA1 || text.contains(" "))
    #expect(read.clientData == utf8("p"))
  }

  @Test(arguments: ["oQ==", "oQ", "o\nQ==\r\n", "\toQ"])
  func `what is written by the standards is not odd`(_ text: String) {
    let read = token(text)
    #expect(read.outcome == "assertion" && read.odd == [] && read.token == [0xA1])
  }

  @Test(arguments: ["o", "!", "o!", "AAA!", "eyJh.eyJi.c2ln", "_-8 ", "Zm9v!"])
  func `what no reading makes a token of is refused`(_ text: String) {
    #expect(token(text).outcome == "badEncoding")
  }

  // records.R37.
  @Test func `a strict reading that begins with no map gives way to an odd one that does`() {
    let spaced = token("    oQ==")
    #expect(spaced.token == [0xA1] && spaced.odd == ["token"])
    // Where no reading begins with a map, the strict one stands.
    let plain = token("    AA==")
    #expect(plain.token == [0xFB, 0xEF, 0xBE, 0] && plain.odd == [])
    #expect(token("AA==").token == [0])
    // A map behind tags is one.
    for tagged in ["wcGh", "2dn3oQ", "2___________oQ", "28HBwcHBwcHBoQ"] {
      #expect(token(tagged).odd == [], "\(tagged)")
    }
  }

  @Test func `a key identifier or hash is of the reading that has its length`() {
    func key(_ text: String) -> ReadRecord {
      readRecord("{\"time\":1,\"token\":\"oQ\",\"payload\":\"p\",\"keyId\":\(quoted(text))}")
    }
    let zeros = [UInt8](repeating: 0, count: 32)
    let digits = String(repeating: "A", count: 43)
    for text in [
      digits + "==", "!" + digits, " " + digits, digits + "%3D",
      String(repeating: "A", count: 42) + "B",
      digits + " ", "-" + digits + "_=", "\u{141}" + digits.dropFirst(),
    ] {
      let read = key(text)
      #expect(read.keyID == zeros && read.odd == ["keyId"], "\(text)")
    }
    #expect(key(digits + "\n").odd == [] && key(digits + "\n").keyID == zeros)
    #expect(key(digits + "AA!").outcome == "badEncoding")
    #expect(record("\"clientDataHash\":\"\(digits)!\"").odd == ["clientDataHash"])
    #expect(record("\"clientDataHash\":\"AA!\"").outcome == "badEncoding")
    let both = readRecord(
      "{\"time\":1,\"token\":\"oQ!\",\"clientData\":\"c!A==\",\"keyId\":\"\(digits)!\"}")
    #expect(both.odd == ["keyId", "token", "clientData"] && both.clientData == utf8("p"))
  }

  @Test func `a hash or client data is of a rare reading where no other gives one`() {
    let digits = String(repeating: "A", count: 43)
    for text in ["A--" + digits.dropFirst(), "\u{141}" + digits.dropFirst()] {
      let read = record("\"clientDataHash\":\(quoted(text))")
      #expect(read.odd == ["clientDataHash"], "\(text): \(read)")
    }
    func clientData(_ text: String) -> ReadRecord {
      readRecord(
        "{\"time\":1,\"token\":\"oQ\",\"keyId\":\"\(digits)\",\"clientData\":\(quoted(text))}")
    }
    for text in ["cA---==", "\u{163}Bcg", "cH\u{142}\u{12E}w"] {
      #expect(clientData(text).odd == ["clientData"], "\(text): \(clientData(text))")
    }
    // Where both alphabets at once give bytes, a dash is a character.
    #expect(clientData("c-A+").clientData == [0x73, 0xE0, 0x3E])
    #expect(clientData("c").outcome == "badEncoding")
  }

  @Test(arguments: [
    "\"oQ==\"", "\"o!Q==\"", "\"oQ=\"", "\"o\\nQ==\"", "\"\\u006fQ\"", "\"oQA\"", "\" oQ==\"",
    "\"%6FQ\"", "\"oQ==AAAA\"",
  ])
  func `another platform's name hides no token in an odd encoding`(_ token: String) {
    let read = readRecord(
      "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"payload\":\"p\",\"platform\":\"android\","
        + "\"token\":\(token)}")
    #expect(read.outcome == "assertion" && read.isMismatch, "\(read)")
  }

  @Test(arguments: [
    // authData and authenticatorData stand in the bytes, though nothing begins with A1.
    "\"AGF1dGhEYXRh\"", "\"AGF1dGhl!bnRpY2F0b3JEYXRhAA\"", "\"AGF1dGhEYXRhA\"",
  ])
  func `bytes that name authenticator data are not positively something else`(_ token: String) {
    let read = readRecord(
      "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"payload\":\"p\",\"platform\":\"android\","
        + "\"token\":\(token)}")
    #expect(read.outcome != "skipped", "\(read)")
  }

  // MARK: Hex and arrays

  @Test(
    arguments: [
      ("a100", [0xA1, 0]), ("A1ff", [0xA1, 0xFF]), ("0xa100", [0xA1, 0]), ("0XA100", [0xA1, 0]),
      ("\\xa100", [0xA1, 0]), ("\\\\xa100", [0xA1, 0]), ("a1001", nil), ("0xa1001", nil),
      ("0xa1g0", nil),
    ] as [(String, [UInt8]?)])
  func `a token in hex is read, and is odd (records.R82)`(_ text: String, _ bytes: [UInt8]?) {
    let read = token(text)
    #expect(bytes == nil || (read.token == bytes && read.odd == ["token"]))
    #expect(bytes != nil || read.token != [0xA1, 0])
  }

  @Test(arguments: [
    ("\"0x\(String(repeating: "0a", count: 32))\"", 32, ["keyId"]),
    ("\"\(String(repeating: "0a", count: 32))\"", 32, []),
    ("[\(String(repeating: "10,", count: 31))10]", 32, ["keyId"]),
    ("{\"type\":\"Buffer\",\"data\":[\(String(repeating: "10,", count: 31))10]}", 32, ["keyId"]),
    ("[\(String(repeating: "10.0,1e1,100E-1,0.01e+3,", count: 8).dropLast())]", 32, ["keyId"]),
    (
      "{ \"data\" : [ \(String(repeating: "10 , ", count: 31))10 ] , \"type\" : \"Buffer\" }", 32,
      ["keyId"]
    ),
  ])
  func `a key identifier is read in hex and as an array`(
    _ value: String, _ count: Int, _ odd: [String]
  ) {
    let read = readRecord("{\"time\":1,\"keyId\":\(value),\"payload\":\"p\",\"token\":\"oA==\"}")
    #expect(read.keyID == [UInt8](repeating: 10, count: count))
    #expect(read.odd == odd)
  }

  @Test(arguments: [
    "[1,2]", "[256]", "[1.0]", "[-1]", "[1e0]", "[1.5]", "[1e3]",
    "[1e-1]", "[1e9999999999999999999]", "[null]", "[\"1\"]",
    "{\"type\":\"buffer\",\"data\":[161]}",
    "{\"data\":[161]}", "{\"type\":\"Buffer\",\"data\":[161],\"x\":1}", "{}", "[[161]]",
  ])
  func `any other array or object is not a key identifier`(_ value: String) {
    let read = readRecord("{\"time\":1,\"keyId\":\(value),\"payload\":\"p\",\"token\":\"oA==\"}")
    let isBytes = ["[1,2]", "[1.0]", "[1e0]"].contains(value)
    #expect(read.outcome == (isBytes ? "badEncoding" : "missingField"))
  }

  @Test(
    arguments: [
      ("\"0x4142\"", [0x41, 0x42], true),
      ("\"41424344\"", [0xE3, 0x5E, 0x36, 0xE3, 0x7E, 0x38], false),
      ("\"414243\"", [0x41, 0x42, 0x43], true), ("[65,66]", [0x41, 0x42], true), ("[]", [], true),
    ] as [(String, [UInt8], Bool)])
  func `client data in hex is read as hex with a prefix, or if it is not base64`(
    _ value: String, _ bytes: [UInt8], _ isOdd: Bool
  ) {
    let read = record("\"clientData\":\(value)")
    #expect(read.clientData == bytes)
    #expect(read.odd == (isOdd ? ["clientData"] : []))
  }

  @Test(arguments: ["\"\"", "\"-\"", "\"null\"", "\"none\"", "\"unknown\"", "\"0\"", "0", "null"])
  func `a placeholder is not a request identifier (records.R22)`(_ value: String) throws {
    #expect(record("\"payload\":\"p\",\"requestId\":\(value)").requestID == nil)
    var fields = assertionFields
    fields[.requestId] = at("/r", "/s")
    let read = try SchemaReader(fields)(
      "{\"t\":1,\"b\":{\(assertionParts)},\"r\":\(value),\"s\":\"x\"}")
    #expect(read.requestID == "x")
  }
}
