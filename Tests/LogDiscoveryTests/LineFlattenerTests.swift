import AuditLog
import Testing

@testable import LogDiscovery

struct LineFlattenerTests {
  /// Returns the values of a line, each as `pointer text`.
  private static func values(_ line: String) -> [String] {
    var pointers = PointerTable()
    return LineFlattener.flatten(Array(line.utf8)[...], &pointers).values
      .map { "\(pointers.text($0.pointer)) \($0.string)" }
  }

  @Test func `every value has its pointer, through strings that hold JSON`() {
    #expect(
      Self.values(#"{"a":1,"b":{"c/d":"x","~":true},"e":"{\"f\":[\"g\",null]}"}"#) == [
        "/a 1", "/b/c~1d x", "/b/~0 true", "/b ", #"/e {"f":["g",null]}"#, "/e/f/0 g", "/e/f/1 ",
        "/e/f ",
      ])
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
  func `what is no list of headers is none`(_ text: String) {
    var pointers = PointerTable()
    _ = LineFlattener.flatten(Array("{\"hdr\":\(text)}".utf8)[...], &pointers)
    #expect(pointers.headers.isEmpty)
  }

  @Test func `wrapped strings are read as what they stand for`() throws {
    var pointers = PointerTable()
    let line = Array(#"{"b":"eyJhIjoxfQ==","p":"%7B%22a%22%3A2%7D","q":"\"{\\\"a\\\":3}\""}"#.utf8)
    let first = LineFlattener.flatten(line[...], &pointers).values
    let names = Dictionary(
      uniqueKeysWithValues: first.map { (pointers.text($0.pointer), $0.pointer) })
    let found = LineFlattener.flatten(
      line[...], &pointers,
      wrappings: [
        try #require(names["/b"]): .base64, try #require(names["/p"]): .percent,
        try #require(names["/q"]): .json,
      ]
    ).values.map { "\(pointers.text($0.pointer)) \($0.string)" }
    for value in ["/b/a 1", "/p/a 2", "/q/a 3", #"/b {"a":1}"#] { #expect(found.contains(value)) }
  }

  @Test func `escapes are decoded, and the raw value stays`() {
    var pointers = PointerTable()
    let values = LineFlattener.flatten(
      Array(#"{ "k\u0041" : "\ud83e\uddea\n\/" , "o" : {"x": [1, 2] } }"#.utf8)[...], &pointers
    ).values
    #expect(pointers.text(values[0].pointer) == "/kA")
    #expect(values[0].string == "🧪\n/")
    #expect(values[0].raw.elementsEqual(#""\ud83e\uddea\n\/""#.utf8))
    #expect(values.last?.raw.elementsEqual(#"{"x": [1, 2] }"#.utf8) == true)
  }

  @Test(arguments: [
    #"{"f":"{\"a\":"}"#, #"{"f":"{\"a\":1}}"}"#, #"{"f":"{\"a\" 1}"}"#, #"{"f":"[1,"}"#,
    #"{"f":"{\"a\":tru}"}"#, #"{"f":"{\"a\":\"\\ud800\"}"}"#, #"{"f":"{\"a\":\"\\u+123\"}"}"#,
    #"{"f":"{,}"}"#, #"{"f":"{\"a\":1,}"}"#, #"{"f":"]"}"#, #"{"f":"{"}"#,
  ])
  func `a string that is not all JSON is a string`(_ line: String) {
    let values = Self.values(line)
    #expect(values.count == 1)
    #expect(values.allSatisfy { $0.hasPrefix("/f ") })
  }

  @Test func `of a name that occurs twice the first counts`() {
    #expect(Self.values(#"{"a":1,"a":2,"\u0061":3}"#) == ["/a 1"])
    var pointers = PointerTable()
    for (line, expected) in [
      (#"{"a":1,"\u0061":3}"#, true), (#"{"b":"{\"a\":1,\"a\":2}"}"#, true),
      (#"{"a":{"b":1},"b":{"b":1}}"#, false),
    ] {
      #expect(LineFlattener.flatten(Array(line.utf8)[...], &pointers).hasDuplicates == expected)
    }
  }

  @Test func `a line has no more values than it may have`() {
    let members = (0..<5000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    #expect(Self.values("{\(members)}").count < LineFlattener.valueLimit)
    let array = "[" + (0..<5000).map(String.init).joined(separator: ",") + "]"
    #expect(Self.values("{\"a\":\(array)}").count < 20)
  }

  @Test func `no line fills the table of pointers alone`() {
    var pointers = PointerTable()
    for line in 0..<20 {
      let members = (0..<500).map { "\"m\(line)-\($0)\":\($0)" }.joined(separator: ",")
      _ = LineFlattener.flatten(Array("{\(members)}".utf8)[...], &pointers)
    }
    let late = LineFlattener.flatten(Array(#"{"late":1}"#.utf8)[...], &pointers).values
    #expect(late.map(\.string) == ["1"])
  }

  @Test func `what nests deeper than a pointer goes is passed over`() {
    let deep = 500
    let line =
      #"{"a":"# + String(repeating: #"{"b":["#, count: deep) + "1"
      + String(repeating: "]}", count: deep) + #","z":2}"#
    let values = Self.values(line)
    #expect(values.contains("/z 2"))
    #expect(values.count < 40)
  }

  @Test func `JSON in strings in strings ends somewhere`() {
    var text = "1"
    for _ in 0..<14 {
      text =
        #"{"a":""# + text.replacing(#"\"#, with: #"\\"#).replacing(#"""#, with: #"\""#) + #""}"#
    }
    #expect(Self.values(text).count <= 16)
  }

  @Test func `names that no pipeline file can hold are passed over`() {
    #expect(
      Self.values(
        #"{"a${B}":1,"\u0000":2,"\ue000":3,"\u2028":4,"ok":5,""#
          + String(repeating: "n", count: 300)
          + #"":6}"#) == ["/ok 5"])
  }

  @Test func `random damage never traps`() {
    var random = SystemRandomNumberGenerator()
    let line = Array(
      #"{"a":{"b":"{\"c\":[1,true,null,\"\\u0041\"]}"},"d":[{},[],"\ud83e\uddea"],"e":-1.5e9}"#.utf8
    )
    for _ in 0..<3000 {
      var damaged = line
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[place] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged.remove(at: place)
        default: damaged.insert(#"{}[]",:\"#.utf8.randomElement()!, at: place)
        }
        if damaged.isEmpty { damaged = [0x7B] }
      }
      var pointers = PointerTable()
      let values = LineFlattener.flatten(damaged[...], &pointers).values
      #expect(values.count <= LineFlattener.valueLimit)
    }
  }
}
