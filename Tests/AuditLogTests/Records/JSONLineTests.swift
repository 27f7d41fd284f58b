import Testing

@testable import AuditLog

@Suite struct `JSON line` {
  /// Returns the result of reading a line, in a word.
  private func outcome(_ line: [UInt8]) -> String {
    let json = JSONLine()
    return withLine(line) { text in
      var duplicate: LogField?
      let failure = unsafe json.read(text, duplicate: &duplicate)
      if let failure { return "\(failure)" }
      if json.isOdd { return "odd" }
      return duplicate.map { "duplicate \($0)" } ?? "object"
    }
  }

  private func outcome(_ line: String) -> String { outcome(Array(line.utf8)) }

  @Test(arguments: [
    "0", "-0", "0.0", "1e400", "1E+400", "-1.5e-10", "18446744073709551616",
    "\(String(repeating: "9", count: 4000))", "0.\(String(repeating: "1", count: 4000))", "true",
    "false", "null", "[]", "{}", "[[],{}]", "[1,[2,{\"a\":[3]}]]", "{\"time\":1,\"time\":2}",
    "\"\"", "\"\\u0041\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\uD83D\\uDE00\"",
    "\"\\/\\b\\f\\n\\r\\t\\\"\\\\\"", "\"é😀\u{7F}\u{2028}\u{FEFF}\u{FFFE}\"", "\"/* */ // #\"",
    " \t\r 1 \t\r ", "\"\u{D7FF}\u{E000}\u{10FFFF}\"", "\"\\uD7FF\\uE000\\uFFFF\"",
  ])
  func `what RFC 8259 allows is allowed in unknown fields`(_ value: String) {
    #expect(outcome("{\"x\":\(value)}") == "object")
    #expect(outcome("{\"x\":[\(value)],\"y\":{\"z\":\(value)},\"w\":\(value)}") == "object")
  }

  @Test(arguments: [
    "", "NaN", "nan", "Infinity", "-Infinity", "inf", "01", "-01", "00", "1.", ".5", "-.5", "+1",
    "1e", "1e+", "1e-", "1.e5", "0x10", "1_000", "-", "--1", "1-", "1e5.5", "1.2.3", "1a", "1 2",
    "True", "TRUE", "nul", "nulll", "truee", "tru e", "undefined", "'a'", "`a`", "\"abc", "\"",
    "\"a\"b", "\"a\" \"b\"", "\"\\x41\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\U0041\"", "\"\\0\"",
    "\"\\'\"", "\"\\\"", "\"\\u\"", "\"a\tb\"", "\"a\u{0}b\"", "\"a\u{1}b\"", "\"a\u{1F}b\"",
    "[", "]", "{", "}", "[1,]", "[,1]", "[,]", "[1 2]", "[1,,2]", "[1}", "{\"a\":1]", "[}", "{]",
    "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{a:1}",
    "{1:2}", "{null:1}", "{'a':1}", "{\"a\"::1}", "{\"a\":1:2}", "{\"a\",\"b\"}", "{[]:1}",
    "1 // c", "/* c */ 1", "1,", ",1", ":1", "\u{0}", "1\u{0}", "\u{A0}1", "\u{FEFF}1", "\u{B}1",
    "\u{C}1", "１", "“a”",
    // Surrogates that are no pair.
    "\"\\ud800\"", "\"\\udc00\"", "\"\\udfff\"", "\"\\uDBFF\"", "\"\\ud800\\ud800\"",
    "\"\\udc00\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\ud800\\n\"",
    "\"x\\ud83d\"", "\"\\ud83d\\ude00\\ud83d\"", "\"\\ud800\\\\udc00\"",
  ])
  func `what RFC 8259 forbids is refused, in unknown fields too`(_ value: String) {
    #expect(outcome("{\"x\":\(value)}") != "object")
    #expect(outcome("{\"time\":1,\"x\":\(value),\"y\":2}") != "object")
    #expect(outcome("{\"x\":{\"deep\":[0,\(value)]}}") != "object")
    #expect(outcome("{\"payload\":\(value)}") != "object")
    #expect(outcome("{\"payload\":\"first\",\"payload\":\(value)}") != "object")
  }

  @Test(arguments: [
    "\\ud800", "\\udc00", "\\x", "\\", "\t", "\u{0}", "\\u12", "\\ud800\\u0041", "\u{1F}",
  ])
  func `names are as strict as values`(_ name: String) {
    #expect(outcome("{\"\(name)\":1}") != "object")
    #expect(outcome("{\"x\":{\"\(name)\":1}}") != "object")
    #expect(outcome("{\"time\(name)\":1}") != "object")
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0x80], [0xBF], [0xE0, 0x80, 0x80], [0xE2, 0x82],
      [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80],
      [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF, 0xFE],
    ] as [[UInt8]])
  func `what is not UTF-8 is refused wherever it stands`(_ bytes: [UInt8]) {
    let open = Array("{\"".utf8)
    let close = Array("\":1}".utf8)
    #expect(outcome(open + bytes + close) != "object")
    #expect(outcome(Array("{\"x\":\"a".utf8) + bytes + Array("b\"}".utf8)) != "object")
    #expect(outcome(Array("{\"x\":{\"y\":[\"".utf8) + bytes + Array("\"]}}".utf8)) != "object")
    #expect(outcome(Array("{\"payload\":\"".utf8) + bytes + Array("\"}".utf8)) != "object")
    #expect(outcome(Array("{}".utf8) + bytes) != "object")
    #expect(outcome(bytes + Array("{}".utf8)) != "object")
    // At the end of a long string, beyond one step of a vector unit.
    let filler = [UInt8](repeating: 0x61, count: 61)
    #expect(
      outcome(Array("{\"x\":\"".utf8) + filler + bytes + Array("\"}".utf8)) != "object")
  }

  @Test(arguments: [
    "", " ", "{", "}", "{}{}", "{} {}", "{}}", "{},", "{}]", "{}x", "{}1", "{} null", "{}\"a\"",
    "{}\u{0}", "\u{0}{}", "{}\u{FEFF}", "\u{FEFF}{}", "x{}", ",{}", "{\"a\":1}:2",
    "{\"time\":1}\"time\":2", "{}//", "{\"a\":1", "{\"a\":", "{\"a\"", "{\"a", "\"", "\\",
    "{\"a\":1}\u{B}", "{\"a\":1};", "{\"x\":[1}", "{\"x\":{\"y\":1]}", "{\"x\":[[1]}",
  ])
  func `a line is one whole object and nothing else`(_ line: String) {
    #expect(outcome(line) != "object")
  }

  @Test func `a cut object is refused wherever it is cut, whatever lies behind it`() {
    let whole = Array(
      "{\"time\":1.5e3,\"x\":[true,null,{\"y\":\"\\u00e9z\"}],\"payload\":\"é\"}".utf8)
    #expect(outcome(whole) == "object")
    for length in 0..<whole.count {
      for behind in ["}", "\"}", "]}", "0}", " ", "\"]}],:", ",\"a\":1}"] {
        let failure = withLine(Array(whole[..<length]), behind: behind) { text in
          var duplicate: LogField?
          return unsafe JSONLine().read(text, duplicate: &duplicate)
        }
        #expect(failure != nil, "cut at \(length), with \(behind) behind")
      }
    }
  }

  @Test(arguments: ["[]", "[{}]", "\"{}\"", "1", "-1", "null", "true", " [ ] ", "1{}", "[{}"])
  func `JSON that is not an object is refused`(_ line: String) {
    #expect(outcome(line).hasPrefix("notJSON"))
  }

  @Test(arguments: [" {} ", "\t{}\r", "{ }", "{\r\"a\"\t:\n1 }", "\r\r{}\r\r"])
  func `white space is that of RFC 8259`(_ line: String) {
    #expect(outcome(line) == "object")
  }

  // MARK: Depth

  private func nested(_ depth: Int, _ open: String, _ close: String, _ core: String) -> String {
    "{\"x\":" + String(repeating: open, count: depth - 1) + core
      + String(repeating: close, count: depth - 1) + "}"
  }

  @Test func `nesting goes to 1024, the outermost being 1`() {
    for core in ["1", "", "null", "\"a\""] {
      #expect(outcome(nested(1024, "[", "]", core.isEmpty ? "" : core)) == "object")
      #expect(outcome(nested(1025, "[", "]", core)).hasPrefix("tooDeep"))
    }
    #expect(outcome(nested(1024, "{\"a\":", "}", "1")) == "object")
    #expect(outcome(nested(1024, "{\"a\":", "}", "{}")).hasPrefix("tooDeep"))
    #expect(outcome(nested(1024, "[", "]", "[]")).hasPrefix("tooDeep"))
    #expect(outcome(nested(1024, "[", "]", "{}")).hasPrefix("tooDeep"))
  }

  @Test(arguments: [1025, 1026, 2000, 100_000, 1_000_000])
  func `deeper nesting is refused without falling over`(_ depth: Int) {
    #expect(outcome(nested(depth, "[", "]", "")) != "object")
    #expect(outcome(nested(depth, "{\"a\":", "}", "1")) != "object")
    #expect(outcome(String(repeating: "[", count: depth)) != "object")
    #expect(outcome(String(repeating: "{\"a\":", count: depth)) != "object")
    #expect(outcome("{\"x\":" + String(repeating: "[{\"a\":", count: depth / 2)) != "object")
    #expect(outcome("{}" + String(repeating: "]", count: depth)) != "object")
  }

  // MARK: Names

  @Test func `a field that occurs twice is told, escapes seen through`() {
    for field in LogField.allCases {
      let name = field.name
      let escaped = name.unicodeScalars.map { scalar in
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
      let half = String(name.prefix(1)) + String(escaped.dropFirst(6))
      for twin in [name, escaped, half] {
        for (first, second) in [("1", "2"), ("\"a\"", "\"a\""), ("null", "null"), ("{}", "null")] {
          #expect(
            outcome("{\"\(name)\":\(first),\"x\":0,\"\(twin)\":\(second)}") == "duplicate \(name)")
          #expect(
            outcome("{\"\(twin)\":\(first),\"\(name)\":\(second)}") == "duplicate \(name)")
        }
      }
    }
  }

  @Test(arguments: [
    "{\"x\":1,\"x\":2}", "{\"time\":1,\"time \":2}",
    "{\"time\":1,\"time\\u0000\":2}", "{\"time\":1,\"x\":{\"time\":2}}",
    "{\"time\":1,\"x\":[{\"time\":2}]}", "{\"keyId\":1,\"key_id\":4}",
    "{\"payload\":\"{\\\"payload\\\":1}\"}", "{\"\":1,\"\":2}", "{\"time\":1,\"tim\\u0435\":2}",
  ])
  func `what only looks like a field's name is none`(_ line: String) {
    #expect(outcome(line) == "object")
  }

  @Test func `of several fields that stand twice one is told, and the first value stays`() {
    let json = JSONLine()
    let line = Array("{\"payload\":\"a\",\"time\":1,\"time\":2,\"payload\":\"b\"}".utf8)
    withLine(line) { text in
      var duplicate: LogField?
      #expect(unsafe json.read(text, duplicate: &duplicate) == nil)
      #expect(duplicate == .time)
      #expect(unsafe Array(json[.payload].text) == Array("a".utf8))
      #expect(unsafe Array(json[.time].text) == Array("1".utf8))
    }
  }

  // MARK: Values

  @Test func `values are given decoded, with their kind`() {
    let json = JSONLine()
    let line = Array(
      """
      {"time":-1.5E+3 ,"kind":null,"keyId":"a\\u0041\\ud83d\\ude00\\u0000\\n","token":{"a":[1]},\
      "challenge":[],"payload":"","clientData":true,"subject":"é","requestId":\
      123456789012345678901234567890}
      """.utf8)
    withLine(line) { text in
      var duplicate: LogField?
      #expect(unsafe json.read(text, duplicate: &duplicate) == nil)
      #expect(duplicate == nil)
      func string(_ field: LogField) -> String {
        unsafe String(decoding: json[field].text, as: UTF8.self)
      }
      #expect(json[.time].kind == .number)
      #expect(string(.time) == "-1.5E+3")
      #expect(json[.kind].kind == .null && !json[.kind].isPresent)
      #expect(json[.keyId].kind == .string)
      #expect(string(.keyId) == "aA😀\u{0}\n")
      #expect(json[.token].kind == .other && json[.token].isPresent)
      #expect(json[.challenge].kind == .other)
      #expect(json[.payload].kind == .string && json[.payload].isPresent)
      #expect(string(.payload) == "")
      #expect(json[.clientData].kind == .other)
      #expect(string(.subject) == "é")
      #expect(string(.requestId) == "123456789012345678901234567890")
      #expect(json[.decision].kind == .absent && !json[.decision].isPresent)
    }
  }

  @Test func `a line leaves nothing behind for the next`() {
    let json = JSONLine()
    var duplicate: LogField?
    for line in [
      "{\"payload\":\"a\",\"payload\":\"b\"}", "{\"subject\":\"s\",", "{\"x\":\"\\ud800\"}",
    ] {
      withLine(Array(line.utf8)) { text in _ = unsafe json.read(text, duplicate: &duplicate) }
      withLine(Array("{\"time\":1}".utf8)) { text in
        #expect(unsafe json.read(text, duplicate: &duplicate) == nil)
        #expect(duplicate == nil)
        for field in LogField.allCases {
          #expect(json[field].isPresent == (field == .time))
        }
      }
    }
  }

  @Test func `a parser is used for short and long lines in turn`() {
    let json = JSONLine()
    var duplicate: LogField?
    for length in [1, 1_000_000, 2, 3_000_000, 0, 5] {
      let payload = String(repeating: "p", count: length)
      withLine(Array("{\"payload\":\"\(payload)\"}".utf8)) { text in
        #expect(unsafe json.read(text, duplicate: &duplicate) == nil)
        #expect(unsafe json[.payload].text.count == length)
      }
    }
  }
}
