import Testing

@testable import AuditLog

@Suite struct `Second reading` {
  /// Returns what reading a line gives: its oddities, or `strict`, or why it fails.
  private func outcome(_ line: [UInt8]) -> String {
    let json = JSONLine()
    return withLine(line) { text in
      if let failure = unsafe json.read(text) { return failure.reason() }
      return json.isOdd ? json.oddities(after: 0) : "strict"
    }
  }

  @Test(
    arguments: [
      ("{\"a\":\"x\u{FFFD}\u{E9}\"}", "strict"),
      ("{\"a\":\"x%FF\"}", "bytes that are not UTF-8 (byte 7)"),
      ("{\"a%C3\":\"%FF\"}", "bytes that are not UTF-8 (byte 3)"),
      ("{\"a\":\"\\ud800x\"}", "a lone surrogate (byte 6)"),
      ("{\"a\":\"\\ud800\\ud83d\\ude00\\udc00\"}", "a lone surrogate (byte 6)"),
      ("{\"a\":\"\t%00\"}", "an unescaped control character (byte 6)"),
      ("{\"a\":\"\\x22\\xFF\"}", "an escape with \\x (byte 6)"),
      ("{\"a\":NaN,\"b\":[-Infinity,Infinity]}", "NaN or Infinity (byte 5)"),
      ("%00%00{\"a\":1}", "zero bytes or a byte order mark before the object (byte 0)"),
      (" %EF%BB%BF%00 {}", "zero bytes or a byte order mark before the object (byte 1)"),
      ("{\"a\":1} []", "text after the object (byte 8)"),
      ("{\"a\":1}\u{1B}[0m", "text after the object (byte 7)"),
      ("{\"a\":1}%00", "text after the object (byte 7)"),
      ("{\"a\":1}}, done", "text after the object (byte 7)"),
      (
        "%00{\"a\":\"%FF\\x41\"} x",
        "bytes that are not UTF-8 (byte 7), an escape with \\x (byte 8), zero bytes or a byte order mark "
          + "before the object (byte 0), text after the object (byte 15)"
      ),
    ])
  // records.R80.
  func `a line is read with the tolerances of records.R81, each with the byte of its first use`(
    _ line: String, _ oddities: String
  ) {
    #expect(outcome(PercentCode.decoded(Array(line.utf8).span)) == oddities)
  }

  @Test(
    arguments: [
      ("{\"a\":1}{\"b\":2}", "A second object begins at byte 7 of the line."),
      ("{\"a\":1} , {", "A second object begins at byte 10 of the line."),
      ("{\"a\":1}[1]", "The line is not JSON: byte 7 cannot be part of an object."),
      ("hello", "The line is not JSON: byte 0 cannot be part of an object."),
      ("[1]", "The line is not JSON: byte 0 cannot be part of an object."),
      ("{\"a\":tru}", "The line is not JSON: byte 5 cannot be part of an object."),
      ("{\"a\":01}", "The line is not JSON: byte 6 cannot be part of an object."),
      ("{\"a\":\"\\q\"}", "The line is not JSON: byte 6 cannot be part of an object."),
      ("{\"a\":%FF}", "The line is not JSON: byte 5 cannot be part of an object."),
      ("{\"a\":1,}", "The line is not JSON: byte 7 cannot be part of an object."),
      ("{'a':1}", "The line is not JSON: byte 1 cannot be part of an object."),
      ("{\"a\":tru", "The line ends early: its object is not complete at byte 8."),
      ("{\"a\":\"\\u00", "The line ends early: its object is not complete at byte 10."),
      ("{\"a\":[1,{\"b\":2}", "The line ends early: its object is not complete at byte 15."),
      ("{\"a\":\"%FF", "The line ends early: its object is not complete at byte 7."),
    ])
  func `a line that is not one object says which it is and at which byte (records.R45)`(
    _ line: String, _ reason: String
  ) {
    #expect(outcome(PercentCode.decoded(Array(line.utf8).span)) == reason)
  }

  @Test func `the bracket that opens level 1025 is named`() {
    let front = "{\"x\":" + String(repeating: "[", count: 1023)
    #expect(
      outcome(Array((front + "[").utf8)) == "The line is nested deeper than 1024: at byte 1028.")
  }

  @Test func `mapped fields keep bytes that are not UTF-8, and a surrogate becomes U+FFFD`() {
    let line = PercentCode.decoded(
      Array("{\(base),\"payload\":\"%FF\t\\xC3\\x28\\ud800\\n\",\"x\":NaN}".utf8).span)
    var buffer = ByteBuffer()
    let read = readRecord(line, &buffer)
    #expect(read.outcome == "assertion")
    #expect(read.clientData == [0xFF, 0x09, 0xC3, 0x28, 0xEF, 0xBF, 0xBD, 0x0A])
  }

  @Test func `JSON in a string is read again, too`() throws {
    let reader = try SchemaReader(assertionFields)
    let plain = reader("{\"t\":1,\"b\":{\(assertionParts)}}")
    #expect(plain.outcome == "assertion")
    for body in ["{\(assertionParts),\"x\":NaN}", "{\(assertionParts),\"x\":\"\t\"} end"] {
      #expect(reader("{\"t\":1,\"b\":\(quoted(body))}") == plain)
    }
  }

  @Test func `a value that is wanted as it is written is that of the line`() throws {
    var fields = assertionFields
    fields[.clientData] = at("/d", encoding: .raw)
    let line =
      "{\"x\":\"%FF%FF\",\"t\":1,\"b\":{\(assertionParts)},\"d\":[\"%FF\\x41\", 1] ,\"y\":\"\t\"}"
    let read = try SchemaReader(fields)(PercentCode.decoded(Array(line.utf8).span))
    #expect(read.clientData == PercentCode.decoded(utf8("[\"%FF\\x41\", 1]").span))
  }
}
