import AuditLog
import Testing

@testable import LogDiscovery

extension LogSample {
  /// Makes a sample of the lines of one log.
  init(of lines: [String]) {
    self.init()
    for (index, line) in lines.enumerated() {
      let bytes = Array(line.utf8)
      let flat = LineFlattener.flatten(bytes[...], &pointers)
      self.lines.append(
        SampleLine(
          source: 0, number: UInt64(index + 1), bytes: bytes, values: flat.values,
          hasDuplicates: flat.hasDuplicates))
    }
  }
}

/// Lines, their values, and strings that stand for others.
struct SampleTests {
  /// Returns the values of a line, each as `pointer text`.
  private static func values(_ line: String) -> [String] {
    let sample = LogSample(of: [line])
    return sample.lines[0].values.map { "\(sample.pointers.text($0.pointer)) \($0.string)" }
  }

  @Test func `every value has its pointer, through strings that contain JSON`() {
    #expect(
      Self.values(#"{"a":1,"b":{"c/d":"x","~":true},"e":"{\"f\":[\"g\",null]}"}"#) == [
        "/a 1", "/b/c~1d x", "/b/~0 true", "/b ", #"/e {"f":["g",null]}"#, "/e/f/0 g", "/e/f/1 ",
        "/e/f ",
      ])
    let value = LogSample(of: [#"{ "k\u0041" : "\ud83e\uddea\n\/" }"#]).lines[0].values[0]
    #expect(value.string == "🧪\n/" && value.raw.elementsEqual(#""\ud83e\uddea\n\/""#.utf8))
  }

  @Test(arguments: [
    #"{"x-key":["k"],"host":["h"]}"#,
    #"[{"name":"X-Key","value":"k"},{"name":"Host","value":"h"}]"#,
    #"[{"value":"k","key":"X-Key"},{"key":"Host","value":["h"]}]"#,
    #"[["X-Key","k"],["Host","h"]]"#,
    #"["X-Key","k","Host","h"]"#, #"["X-Key: k","Host: h"]"#, #""X-Key: k\r\nHost: h\r\n""#,
    #""GET / HTTP/1.1\nX-Key:k\nHost: h""#,
    #"[{"key":"X-Key","value":{"stringValue":"k"}},{"key":"Host","value":{"stringValue":"h"}}]"#,
    #"[{"key":"X-Key","value":{"arrayValue":{"values":[{"stringValue":"k"}]}}}]"#,
  ])
  func `headers in any form have their names for pointers`(_ headers: String) {
    let found = Self.values("{\"hdr\":\(headers)}").map { $0.lowercased() }
    #expect(found.contains("/hdr/x-key k"), "\(found)")
  }

  @Test(arguments: [
    #"[{"name":"a"},{"name":"b"}]"#, #"[{"name":"a","value":1},7]"#, #"["a","b","c","d"]"#,
    #"[["a","b","c"]]"#, #""a: b""#, #""once: upon\na time\nthere was""#, #"[]"#, #""""#,
    #"[{"name":"a","value":1,"x":1,"y":2,"z":3}]"#,
  ])
  func `other lists and texts are not headers`(_ text: String) {
    #expect(LogSample(of: ["{\"hdr\":\(text)}"]).pointers.headers.isEmpty)
  }

  @Test func `spellings of a header are one pointer, and headers by their place are left out`() {
    var sample = LogSample(of: [
      #"{"headers":{"X-Key":"1","0":"a"},"body":{"Key":"a"}}"#,
      #"{"headers":{"x-key":"2"},"body":{"key":"b"}}"#,
      #"{"headers":{"X-KEY":"3","x-Key":"4"},"body":{"items":[{"value":"e","f":"g"}]}}"#,
      #"{"headers":{"x-key":"5"}}"#,
    ])
    sample.foldHeaders()
    let pointers = Set(sample.lines.flatMap { $0.values.map { sample.pointers.text($0.pointer) } })
    #expect(
      pointers == [
        "/headers", "/headers/x-key", "/body", "/body/Key", "/body/key", "/body/items",
        "/body/items/0", "/body/items/0/f",
      ])
    #expect(sample.lines.map(\.hasDuplicates) == [false, false, true, false])
  }

  @Test(arguments: [
    #"{"f":"{\"a\":"}"#, #"{"f":"{\"a\":1}}"}"#, #"{"f":"{\"a\" 1}"}"#, #"{"f":"[1,"}"#,
    #"{"f":"{\"a\":\"\\ud800\"}"}"#, #"{"f":"{,}"}"#, #"{"f":"]"}"#, #"{"f":"{"}"#,
  ])
  func `a string that is not all JSON is a string`(_ line: String) {
    #expect(Self.values(line).map { $0.prefix(3) } == ["/f "])
  }

  @Test func `a line has bounds on values, pointers, depth and names`() {
    let members = (0..<5000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    #expect(Self.values("{\(members)}").count < LineFlattener.valueLimit)
    #expect(
      Self.values("{\"a\":[\((0..<5000).map(String.init).joined(separator: ","))]}").count < 20)
    let deep =
      #"{"a":"# + String(repeating: #"{"b":["#, count: 500) + "1"
      + String(repeating: "]}", count: 500) + #","z":2}"#
    #expect(Self.values(deep).contains("/z 2") && Self.values(deep).count < 40)
    var text = "1"
    for _ in 0..<14 {
      text =
        #"{"a":""# + text.replacing(#"\"#, with: #"\\"#).replacing(#"""#, with: #"\""#) + #""}"#
    }
    #expect(Self.values(text).count <= 16)
    let name = String(repeating: "n", count: 300)
    #expect(
      Self.values(#"{"a${B}":1,"\u0000":2,"\ue000":3,"\u2028":4,"ok":5,"\#(name)":6}"#) == ["/ok 5"]
    )
    let lines = (0..<20).map { line in
      "{" + (0..<500).map { "\"m\(line)-\($0)\":\($0)" }.joined(separator: ",") + "}"
    }
    #expect(LogSample(of: lines + [#"{"late":1}"#]).lines[20].values.map(\.string) == ["1"])
  }

  @Test func `the first of members with one name counts`() {
    #expect(Self.values(#"{"a":1,"a":2,"\u0061":3}"#) == ["/a 1"])
    let sample = LogSample(of: [
      #"{"a":1,"\u0061":3}"#, #"{"b":"{\"a\":1,\"a\":2}"}"#, #"{"a":{"b":1},"b":{"b":1}}"#,
    ])
    #expect(sample.lines.map(\.hasDuplicates) == [true, true, false])
  }

  @Test(
    arguments: [
      (#"{"v":"0x0aFF0000000000"}"#, [10, 255, 0, 0, 0, 0, 0]),
      (#"{"v":"\\x0aff0000000000"}"#, [10, 255, 0, 0, 0, 0, 0]),
      (#"{"v":"\"Cv8AAAAA+-AA===\""}"#, [10, 255, 0, 0, 0, 0, 251, 224, 0]),
      (#"{"v":[10, 255,0]}"#, [10, 255, 0]),
      (#"{"v":{"type":"Buffer","data":[1,2]}}"#, [1, 2]), (#"{"v":"0aff"}"#, nil),
      (#"{"v":[10,256]}"#, nil), (#"{"v":[]}"#, nil), (#"{"v":{"data":[1,2]}}"#, nil),
    ] as [(String, [UInt8]?)])
  func `bytes are read from marked hex, arrays, buffers and odd base64 (records.R34, R82)`(
    _ line: String, _ bytes: [UInt8]?
  ) {
    // A container follows its elements.
    #expect(
      LogSample(of: [line]).lines[0].values.last.flatMap { ValueDecoder.bytes($0, .clientData) }
        == bytes)
  }

  @Test(arguments: [
    ([#"{"b":"eyJhIjoibzJObWJYUnYifQ=="}"#, #"{"b":"WzEsMl0="}"#, #"{"b":""}"#], ["/b base64"]),
    (
      [#"{"body":"note","isBase64Encoded":false}"#, #"{"body":"bm90ZQ","isBase64Encoded":true}"#],
      ["/body base64 /isBase64Encoded"]
    ),
    (
      [#"{"content":"note","bodyEncoding":""}"#, #"{"content":"bm90ZQ","bodyEncoding":"base64"}"#],
      ["/content base64 /bodyEncoding"]
    ),
    ([#"{"k":"AQE%3D"}"#, #"{"k":"AQE"}"#], ["/k percent"]),
    // With the slash and the colon as they are: only if a token is in it.
    ([#"{"b":"a%3Do2NmbXRv/AQE%3D"}"#, #"{"b":"x:y%20z"}"#], ["/b percent"]),
    ([#"{"b":"a%3Do2NmbXRv/ AQE%3D"}"#], []), ([#"{"b":"a%3Do2NmbXRv/AQE%3"}"#], []),
    ([#"{"b":"\"{\\\"a\\\":1}\""}"#, #"{"b":""}"#], ["/b json"]),
    ([#"{"b":"note"}"#, #"{"b":"eyJhIjoxfQ=="}"#, #"{"b":"a note"}"#], []),
    ([#"{"p":"/a%20b"}"#], []), ([#"{"b":"\"a\""}"#], []), ([#"{"k":"AQEB"}"#], []),
    (
      [#"{"body":"a b","isBase64Encoded":true}"#, #"{"body":"bm90ZQ","isBase64Encoded":true}"#], []
    ),
  ])
  func `wrappings are found`(_ lines: [String], _ expected: [String]) {
    let sample = LogSample(of: lines)
    let found = WrappingSearch(sample: sample).find().map { wrapping in
      "\(sample.pointers.text(wrapping.pointer)) \(wrapping.form.rawValue)"
        + (wrapping.flag.map { " \(sample.pointers.text($0))" } ?? "")
    }
    #expect(found == expected)
  }

  // MARK: Shapes and prefixes

  @Test func `lines with mostly the same members are a shape if they have enough tokens`() {
    func shapes(_ lines: [String], tokens: Set<Int>) -> [[Int]] {
      LogShapes(keepsInputs: false, likeness: 33).lines(LogSample(of: lines), tokenLines: tokens)
    }
    let a = #"{"time":1,"keyId":2,"token":3}"#
    let b = #"{"ts":1,"request":{"k":1},"response":{}}"#
    let c = #"{"level":"info","message":"x"}"#
    #expect(
      shapes([a, b, c, b, a, c, a], tokens: [0, 1, 3, 4, 6]) == [[0, 2, 4, 5, 6], [1, 3]])
    #expect(shapes([b, a, b, b], tokens: [0, 1, 2, 3]) == [[0, 1, 2, 3]])
    #expect(shapes([c, c], tokens: []) == [[0, 1]] && shapes([], tokens: []) == [[]])
    let own = (0..<400).map { #"{"time":\#($0),"keyId":2,"token":3}"# }
    let odd = (0..<3).map { #"{"x\#($0)":1,"y\#($0)":2}"# }
    #expect(shapes(own + odd, tokens: Set(0..<403)) == [Array(0..<403)])
  }

  @Test func `a time before the JSON is moved into it`() throws {
    func command(_ prefixes: [String]) -> String? {
      var sample = LogSample(of: [])
      sample.sources = ["it's"]
      return PrefixTime.command(
        sample,
        prefixes.map {
          SampleLine(source: 0, number: 1, bytes: Array("\($0){}".utf8), start: $0.utf8.count)
        })
    }
    let found = try #require(command(["2026-03-01T00:00:00Z gw: ", "x 2026-03-01 00:00:00 - "]))
    #expect(found.hasPrefix("sed -E '") && found.hasSuffix(" 'it'\\''s'"))
    #expect(
      command(["01.03.2026 10:00:00,123 INFO [{main}] ", "[01/Mar/2026:10:00:00 +0100] "]) != nil)
    for prefix in ["", "2026-03-01 gw ", "20260301T000000Z ", "2026-03-01T00"] {
      #expect(command([prefix]) == nil, "\(prefix)")
    }
  }
}
