import AppAttest
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Further tokens` {
  private let bytes = TokenText.assertion(3)

  private func shape(_ line: String) -> String? {
    let reader = RecordReader(
      isAppAttestObject: AppAttestSniffer.isAppAttestObject,
      tokenLength: AppAttestSniffer.tokenFront)
    var buffer = ByteBuffer()
    return withLine(Array(line.utf8)) { text in
      switch unsafe reader.read(text, into: &buffer) {
      case .record:
        guard reader.findsToken(besideRecord: true, buffer) else { return nil }
        return unsafe String(decoding: reader.shape(ofRead: text), as: UTF8.self)
      case .skipped:
        guard reader.findsToken(buffer) else { return nil }
        return unsafe String(decoding: reader.shape(ofSkippedIn: text), as: UTF8.self)
      default: return "\(text.count)"
      }
    }
  }

  @Test func `the first further token is named by its pointer (records.R55)`() {
    let own = TokenText.base64(bytes)
    let other = TokenText.base64(TokenText.assertion(9))
    let front = "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"payload\":\"p\",\"token\":\"\(own)\""
    #expect(shape("\(front)}") == nil)
    #expect(shape("\(front),\"copy\":\"\(own)\",\"body\":\(quoted("{\"t\":\"\(own)\"}"))}") == nil)
    #expect(shape("\(front),\"x\":\"\(other)\"}") == "default:/x")
    #expect(
      shape("\(front),\"a/b\":[0,{\"~\":\"t=\(other)\"}],\"z\":\"\(other)\"}")
        == "default:/a~1b/1/~0")
    #expect(
      shape("\(front),\"body\":\(quoted("{\"a\":[{\"t\":\"\(other)\"}]}"))}")
        == "default:/body/a/0/t")
    #expect(shape("\(front),\"b\":\(TokenText.numbers(TokenText.assertion(9)))}") == "default:/b")
    #expect(
      shape(
        "\(front),\"b\":{\"type\":\"Buffer\",\"data\":\(TokenText.numbers(TokenText.assertion(9)))}}"
      )
        == "default:/b")
    #expect(
      shape("\(front.replacing("\"p\"", with: "\"\\t\"")),\"x\":\"\(other)\"}") == "default:/x")
    #expect(shape("{\"time\":1,\"challenge\":\"c\",\"x\":\"\(other)\"}") == "default:/x")
    // A short string can contain the beginning of a token.
    let beginning = other.prefix(60)
    for text in [
      "\(beginning)", "t=\(beginning)", "t%3D\(beginning)", "t=%6f\(beginning.dropFirst())",
      "\\u006f\(beginning.dropFirst())", "%5Cu006f\(beginning.dropFirst())",
      "\\n\\t\(beginning)", "\\\\x\(TokenText.hex(TokenText.assertion(9)).prefix(60))",
    ] {
      #expect(shape("\(front),\"b\":[\"c=d\",\"\(text)\"]}") == "default:/b/1", "\(text)")
    }
    let escapes = TokenText.hexEscapes(String(other.prefix(15)))
    let challenge = "{\"time\":1,\"challenge\":\"c\""
    #expect(shape("\(challenge),\"b\":[\"\(escapes)\"]}") == "default:/b/0")
    #expect(shape("\(front),\"b\":[\"2026-03-02T09:01:40.000Z\",\"/v1/notes/6\"]}") == nil)
    for form in TokenText.forms {
      let value = form.1(TokenText.assertion(9))
      let found = shape("\(front),\"b\":{\"c\":\(value)}}") ?? "nothing"
      #expect(found.hasPrefix("default:/b/c"), "\(form.0): \(found)")
      let known = "\(front),\"b\":{\"c\":\(form.1(bytes))}}"
      #expect(shape(known) == nil, "\(form.0)")
      // The second reading.
      for odd in ["\"o\":\"\\x41\"", "\"o\":NaN", "\"o\":\"\t\""] {
        #expect(shape("\(front),\(odd),\"b\":{\"c\":\(value)}}") == found, "\(form.0) \(odd)")
        #expect(shape("\(front),\(odd)" + known.dropFirst(front.count)) == nil, "\(form.0) \(odd)")
      }
    }
  }

  @Test(arguments: TokenText.texts.indices)
  func `a read line has a further token as its row says (records.R34, records.R52, records.R83)`(
    _ index: Int
  ) {
    let row = TokenText.texts[index]
    guard let own = row.audited.first else { return }
    let front = "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"payload\":\"p\",\"token\":\""
    for line in row.lines {
      let read = "\(front)\(TokenText.base64(own))\",\(line.dropFirst())"
      #expect((shape(read) != nil) == row.isFound, "\(index) \(line)")
    }
  }

  // MARK: Lines with several records

  /// Returns the shapes of the tokens in the records of a line, and outside of them.
  private func shapes(_ line: [UInt8], skipsPrefix: Bool = false) throws -> [String] {
    var schema = LogSchema(
      name: "several",
      rules: [
        SchemaRule(
          name: "one", kind: .fixed(.assertion),
          fields: [
            .time: at("/t"), .keyId: at("/k"), .token: at("/o"), .payload: at("/p"),
          ])
      ])
    schema.records = ["/events", "/body/events"].map(pointer) + (skipsPrefix ? [nil] : [])
    schema.skipsPrefix = skipsPrefix
    let reader = RecordReader(
      schema: try CompiledSchema(schema), isAppAttestObject: AppAttestSniffer.isAppAttestObject,
      tokenLength: AppAttestSniffer.tokenFront)
    var buffer = ByteBuffer()
    return withLine(line) { text in
      var shapes: [String] = []
      var next: RecordOutcome? = unsafe reader.read(text, into: &buffer)
      while let outcome = next {
        if case .record = outcome, reader.findsToken(besideRecord: true, buffer) {
          unsafe shapes.append(String(decoding: reader.shape(ofRead: reader.text), as: UTF8.self))
        }
        next = reader.next(into: &buffer)
      }
      if reader.findsTokenAroundRecords() {
        unsafe shapes.append(
          String(decoding: reader.shape(aroundRecordsOf: text), as: UTF8.self))
      }
      return shapes
    }
  }

  @Test(arguments: [
    "INFO TOKEN RECORD", "INFO TOKEN {\"events\":[RECORD]}", "{\"events\":[\"INFO TOKEN QUOTED\"]}",
  ])
  func
    `a token in a prefix is found, whatever the record is (records.R52, records.R70, records.R84)`(
      _ form: String
    ) throws
  {
    let record = "{\"t\":1,\"k\":\"\(sampleKey)\",\"o\":\"\(TokenText.base64(bytes))\",\"p\":\"p\"}"
    func shapes(_ token: String) throws -> [String] {
      let line = form.replacing("TOKEN", with: token).replacing("RECORD", with: record)
        .replacing("QUOTED", with: quoted(record).dropFirst().dropLast())
      return try self.shapes(Array(line.utf8), skipsPrefix: true)
    }
    #expect(try shapes("none") == [])
    #expect(try shapes(TokenText.base64(TokenText.assertion(9))).count == 1)
  }

  /// The tolerances of `records.R81`, each as a way to write a line.
  static let tolerances: [(String, @Sendable ([UInt8]) -> [UInt8])] = [
    ("strict", { $0 }),
    ("not UTF-8", { Array("{\"u\":\"".utf8) + [0xFF] + Array("\",".utf8) + $0.dropFirst() }),
    ("not UTF-8, behind", { $0.dropLast() + Array(",\"u\":\"".utf8) + [0xFF] + Array("\"}".utf8) }),
    ("\\x", { Array("{\"u\":\"\\x41\\x42\",".utf8) + $0.dropFirst() }),
    ("a lone surrogate", { Array("{\"u\":\"\\ud800\",".utf8) + $0.dropFirst() }),
    ("NaN", { Array("{\"u\":-Infinity,".utf8) + $0.dropFirst() }),
    ("a tab", { Array("{\"u\":\"\t\",".utf8) + $0.dropFirst() }),
    ("zero bytes before", { [0, 0, 0] + $0 }),
    ("text behind", { $0 + Array(" []".utf8) }),
  ]

  @Test(arguments: tolerances.indices)
  func `audited tokens are not outside of the records, and others are (records.R83, records.R55)`(
    _ tolerance: Int
  ) throws {
    func record(_ token: String, _ rest: String = "") -> String {
      "{\"t\":1,\"k\":\"\(sampleKey)\",\"o\":\"\(token)\",\"p\":\"p\"\(rest)}"
    }
    func found(_ line: String) throws -> [String] {
      try shapes(Self.tolerances[tolerance].1(Array(line.utf8)))
    }
    let (one, two) = (TokenText.base64(bytes), TokenText.base64(TokenText.assertion(5)))
    let other = TokenText.base64(TokenText.assertion(9))
    let events = "[\(record(one)),\(quoted(record(two)))]"
    #expect(try found("{\"events\":\(events)}") == [])
    #expect(try found("{\"events\":\(events),\"copy\":[\"\(two)\"]}") == [])
    #expect(try found("{\"events\":\(events),\"x\":\"\(other)\"}") == ["one:/x"])
    #expect(try found("{\"x\":[0,\"\(other)\"],\"events\":\(events)}") == ["one:/x/1"])
    #expect(
      try found("{\"events\":[\(record(one, ",\"y\":\"\(other)\""))],\"x\":\"\(two)\"}")
        == ["one:/y", "one:/x"])
    let numbers = TokenText.numbers(TokenText.assertion(9))
    #expect(try found("{\"events\":\(numbers)}") == ["several:/events"])
    #expect(try found("{\"events\":\(quoted(numbers))}") == ["several:/events"])
    // The array is in a string of JSON.
    let body = quoted("{\"events\":\(events)}")
    #expect(try found("{\"body\":\(body)}") == [])
    #expect(try found("{\"body\":\(body),\"x\":\"\(other)\"}") == ["one:/x"])
    for behind in [other, "[\(record(other))]"] {
      #expect(try found("{\"events\":\(quoted("\(events) \(behind)"))}") == ["one:/events"])
    }
    let wider = quoted("{\"events\":\(events),\"x\":\"\(other)\"}")
    #expect(try found("{\"body\":\(wider)}") == ["one:/body/x"])
  }

  @Test func `the shape of a skipped line is the sorted names of its members`() {
    let text = TokenText.base64(bytes)
    let line = "{\"platform\":\"android\",\"\\u0062\":{\"z\":\"\(text)\"},\"a\":1}"
    #expect(shape(line) == "a,b,platform")
    #expect(shape("{\"b\":\"\(text)\",\"a\":NaN,\"platform\":\"web\"}") == "a,b,platform")
    #expect(shape("{\"b\":\"x\",\"a\":1,\"platform\":\"web\"}") == nil)
  }
}
