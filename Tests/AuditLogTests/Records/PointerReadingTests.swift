import TestSupport
import Testing

@testable import AuditLog

/// Values at the places of a tree: what the line's reader finds for pointers.
@Suite struct `Pointer reading` {
  /// The values of some pointers in a line: `s:` a string, `n:` a number, `null`, `-` absent, else
  /// the text of a boolean or `{}`; or how the line failed; or which place stands twice.
  private func read(
    _ line: [UInt8], _ texts: [String], headers: [String] = [], wanted: UInt64 = .max
  ) -> [String] {
    do throws(SchemaProblem) {
      var tree = try PointerTree(headers: headers.map(pointer))
      var slots: [Int] = []
      for text in texts { slots.append(try tree.slot(of: pointer(text))) }
      let json = JSONLine(tree)
      return withLine(line) { bytes in
        if let failure = unsafe json.read(bytes) { return ["\(failure)"] }
        #expect(json.open(wanted) == true)
        if let twice = json.twice(wanted) { return ["twice \(tree.places[twice].text)"] }
        #expect(json.duplicates & wanted == 0)
        return slots.map { slot in
          let value = json.value(slot)
          let text = unsafe String(decoding: value.text, as: UTF8.self)
          switch value.kind {
          case .absent: return "-"
          case .null: return "null"
          case .string: return "s:" + text
          case .number: return "n:" + text
          case .other: return text.isEmpty ? "{}" : text
          }
        }
      }
    } catch {
      return [error.text]
    }
  }

  private func read(_ line: String, _ texts: String..., headers: [String] = []) -> [String] {
    read(Array(line.utf8), texts, headers: headers)
  }

  // MARK: Objects and arrays

  @Test func `values are found wherever a pointer goes`() {
    let line = #"{"a":{"b":{"c":"x","d":1.5e3},"e":null},"f":[10,[20,{"g":true}],"z"],"a/b":1}"#
    #expect(
      read(line, "/a/b/c", "/a/b/d", "/a/e", "/f/1/1/g", "/f/0", "/f/2", "/a~1b", "/a/b")
        == ["s:x", "n:1.5e3", "null", "true", "n:10", "s:z", "n:1", "{}"])
  }

  @Test func `what a pointer does not reach is absent`() {
    let line = #"{"a":{"b":1},"f":[1,2],"s":"text","n":5,"t":true,"z":null}"#
    for text in [
      "/x", "/a/x", "/a/b/c", "/f/2", "/f/-", "/f/01", "/f/00", "/f/+1", "/f/1e0", "/f/-1",
      "/f/99999999999999999999999999", "/s/0", "/n/0", "/t/x", "/z/x", "/A", "/a/B", "/",
      "/a/", "/f/", "/f/ 0", "/a~0b",
    ] {
      #expect(read(line, text) == ["-"], "\(text)")
    }
  }

  @Test func `numbers are names in objects`() {
    #expect(read(#"{"0":{"01":"x","-":"y"}}"#, "/0/01", "/0/-") == ["s:x", "s:y"])
    #expect(read(#"{"a":{"1":"x"}}"#, "/a/1", "/a/0") == ["s:x", "-"])
    #expect(read(#"{"a":["x"]}"#, "/a/1", "/a/0") == ["-", "s:x"])
  }

  @Test func `names may be empty, long, or of any script`() {
    let long = String(repeating: "name-", count: 40)
    let near = long.dropLast() + "_"
    for name in ["", " ", "é", "😀", "a\u{0}b", "16 bytes in it..", "17 bytes in it...", long] {
      let key = name.replacing("\u{0}", with: "\\u0000")
      #expect(
        read("{\"\(key)\":1,\"x\":{\"\(key)\":2}}", "/\(name)", "/x/\(name)") == ["n:1", "n:2"],
        "\(name)")
    }
    #expect(read("{\"\(near)\":1,\"\(long)\":2}", "/\(long)") == ["n:2"])
    #expect(read("{\"\(near)\":1}", "/\(long)") == ["-"])
  }

  @Test func `names are compared decoded`() {
    #expect(read(#"{"\u0061":{"b\u0063\n":"x"}}"#, "/a/bc\n") == ["s:x"])
    #expect(
      read(#"{"a~1b":1,"a/b":2,"a~b":3}"#, "/a~01b", "/a~1b", "/a~0b") == ["n:1", "n:2", "n:3"])
  }

  @Test func `elements are counted, whatever they are`() {
    let elements = ["1", "\"\"", "null", "[]", "[[[]]]", "{}", "{\"0\":1}", "true", "[1,2]"]
    for count in 0..<elements.count {
      let list = elements[..<count].joined(separator: ", ")
      let line = "{\"f\":[\(list)\(count > 0 ? "," : "")\"here\",\"behind\"]}"
      #expect(read(line, "/f/\(count)") == ["s:here"], "\(line)")
    }
    let many = "{\"f\":[" + String(repeating: "0,", count: 200_000) + "7]}"
    #expect(read(many, "/f/200000", "/f/3", "/f/200001", "/f/0") == ["n:7", "n:0", "-", "n:0"])
  }

  @Test(arguments: [
    #"{"a":{"b":1,}}"#, #"{"a":{"b"}}"#, #"{"a":{b:1}}"#, #"{"a":{"b":01}}"#, #"{"a":["#,
    #"{"a":{"b":1]}"#, #"{"a":[1}}"#, #"{"a":[1,]}"#, #"{"a":[,1]}"#, #"{"a":{"b":"\ud800"}}"#,
    #"{"a":{"\ud800":1}}"#, #"{"a":{"b":NaN}}"#, #"{"a":{"b":}}"#, #"{"a":{}"#, #"{"a":{"b":1}"#,
    #"{"a":{"b":1}}}"#, #"{"a":[1 2]}"#, #"{"a":[1]]}"#, #"{"a":{"b":1,"b":01}}"#,
    #"{"a":1,"a":{]}}"#,
  ])
  func `what is no JSON is refused inside of what is looked at, too`(_ line: String) {
    #expect(read(line, "/a/b", "/a/0") == ["malformed"])
    #expect(read(line, "/a/b/c/d", "/a") == ["malformed"])
  }

  @Test func `nesting goes to 1024 on the way of a pointer, too`() {
    for (open, close) in [("[", "]"), ("{\"0\":", "}")] {
      for (depth, isTaken) in [(1022, true), (1023, false), (100_000, false)] {
        let inner =
          String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        let found = read("{\"a\":{\"b\":\(inner)}}", "/a/b/0/0")
        #expect(found == (isTaken ? ["{}"] : ["tooDeep"]), "\(depth)")
      }
    }
  }

  // MARK: Names that stand twice

  @Test(arguments: [
    (#"{"a":{"b":1,"b":2}}"#, "/a/b", "twice /a/b"),
    (#"{"a":{"b":1},"a":{}}"#, "/a/b", "twice /a"),
    (#"{"a":1,"a":{"b":1}}"#, "/a/b", "twice /a"),
    (#"{"a":null,"a":{"b":1}}"#, "/a/b", "twice /a"),
    (#"{"a":{"b":1,"\u0062":1}}"#, "/a/b", "twice /a/b"),
    (#"{"a":[{"b":1,"b":1}]}"#, "/a/0/b", "twice /a/0/b"),
    (#"{"a":{"x":1,"x":2,"b":3}}"#, "/a/b", "n:3"),
    (#"{"a":{"b":{"x":1,"x":2}}}"#, "/a/b", "{}"),
    (#"{"a":[{"b":1},{"b":1,"b":1}]}"#, "/a/0/b", "n:1"),
    (#"{"a":{"b":1},"x":{"a":1,"a":1,"b":1}}"#, "/a/b", "n:1"),
    (#"{"a":{"a":{"b":1}},"b":2}"#, "/a/b", "-"),
    (#"{"a":{"B":1,"b":2}}"#, "/a/b", "twice /a/b"),
  ])
  func `a name is ambiguous where it stands twice on a pointer's way`(
    _ line: String, _ text: String, _ found: String
  ) {
    #expect(read(line, text) == [found])
  }

  @Test func `only what is on the way to what is wanted counts`() {
    let line = Array(#"{"a":{"b":1,"b":2},"c":"{\"d\":1,\"d\":2}","e":5}"#.utf8)
    let texts = ["/a/b", "/c/d", "/e"]
    #expect(read(line, texts, wanted: 0b001) == ["twice /a/b"])
    #expect(read(line, texts, wanted: 0b010) == ["twice /c/d"])
    #expect(read(line, texts, wanted: 0b100) == ["n:1", "-", "n:5"])
  }

  // MARK: Headers

  @Test func `names of headers are told apart without capitals`() {
    for name in ["X-Key-Id", "x-key-id", "X-KEY-ID", "x-Key-iD", "\\u0058-key-id"] {
      #expect(
        read("{\"h\":{\"Y\":1,\"\(name)\":\"k\"}}", "/h/X-Key-Id", headers: ["/h"]) == ["s:k"])
      #expect(
        read("{\"h\":{\"\(name)\":[\"k\"]}}", "/h/x-key-ID/0", headers: ["/h"]) == ["s:k"])
    }
    // ASCII alone; not the members of what they hold, nor other objects.
    #expect(read(#"{"h":{"É":1,"ſ":2}}"#, "/h/é", "/h/S", headers: ["/h"]) == ["-", "n:2"])
    #expect(read(#"{"h":{"x[":1}}"#, "/h/X{", headers: ["/h"]) == ["-"])
    #expect(read(#"{"h":{"X":{"a":1}}}"#, "/h/x/A", headers: ["/h"]) == ["-"])
    #expect(read(#"{"H":{"x":1}}"#, "/h/X", headers: ["/h"]) == ["-"])
    #expect(read(#"{"g":{"X":1},"h":{}}"#, "/g/x", "/h/x", headers: ["/h"]) == ["-", "-"])
  }

  @Test func `a header in two spellings stands twice`() {
    for twin in ["X-A", "x-a", "X-a", "\\u0078-a"] {
      #expect(
        read("{\"h\":{\"x-A\":1,\"\(twin)\":1}}", "/h/X-A", headers: ["/h"]) == ["twice /h/X-A"])
    }
    #expect(read(#"{"h":{"x-b":1,"X-B":1,"x-a":2}}"#, "/h/X-A", headers: ["/h"]) == ["n:2"])
  }

  /// Ways to write headers of which one is X-Key.
  private static let forms = [
    #"{"Host":"h","x-key":"k"}"#, #"{"Host":["h"],"X-KEY":["k"]}"#,
    #"[{"name":"Host","value":"h"},{"name":"x-Key","value":"k"}]"#,
    #"[{"value":"k","name":"X-Key"},{"value":"h","name":"Host"}]"#,
    #"[{"key":"x-key","value":["k"]}]"#, #"[{"Key":"X-Key","Value":"k","more":[{"x":1}]}]"#,
    #"[["Host","h"],["X-Key","k"]]"#, #"[["X-Key",["k"]]]"#, #"["Host","X-Key","x-key","k"]"#,
    #"["Host: h","X-Key: k"]"#, #"["Host:h","X-KEY:\t k \r"]"#,
    #"[{"key":"x-key","value":{"stringValue":"k"}}]"#,
    #"[{"value":{"arrayValue":{"values":[{"stringValue":"k"}]}},"key":"x-key"}]"#,
    #"{"x-key":[{"key":"X-Key","value":"k"}]}"#, #"{"x-key":{"stringValue":"k"}}"#,
    #""POST /a:b HTTP/1.1\r\nHost: h\r\nX-Key: k\r\n\r\n""#, #""x-key:k""#,
    #"":path: /x\nX-Key: k""#, #""{\"X-Key\":\"k\"}""#,
    #""[{\"name\":\"X-Key\",\"value\":\"k\"}]""#,
    #"[1,null,{"name":"X-Key"},["X-Key"],{"x":1},[],["x-key","k"]]"#,
  ]

  @Test(arguments: forms)
  func `a header is found by its name in whatever form`(_ headers: String) {
    let line = "{\"h\":\(headers),\"z\":7}"
    #expect(read(line, "/h/X-Key", "/z", headers: ["/h"]) == ["s:k", "n:7"])
    #expect(read(line, "/h/X-Ke", "/z", headers: ["/h"]) == ["-", "n:7"])
  }

  @Test(arguments: [
    #"[{"name":"X-Key","value":"k"},{"name":"x-key","value":"k"}]"#,
    #"[{"value":"k","name":"X-Key"},{"value":"k","key":"X-KEY"}]"#,
    #"[{"name":"Host","key":"X-Key","value":"k"}]"#,
    #"[{"name":"X-Key","key":"Host","value":"k"}]"#,
    #"[{"name":"X-Key","value":"k","value":"l"}]"#, #"[{"value":"k","Value":"l","name":"X-Key"}]"#,
    #"[["X-Key","k"],["x-key","k"]]"#, #"[["X-Key","k","l"]]"#, #"["X-Key","k","x-key","l"]"#,
    #"["X-Key: k","x-key: k"]"#, #"{"X-Key":["k","l"]}"#, #"{"X-Key":["k",null]}"#,
    #"[{"key":"X-Key","value":{"stringValue":"k","intValue":"1"}}]"#,
    #"[{"key":"X-Key","value":{"arrayValue":{"values":[{"stringValue":"k"},{"x":1}]}}}]"#,
    #""X-Key: k\nx-key: l""#, #""X-Key: k\n and more\nHost: h""#, #""X-Key: k\r\n\tl""#,
    #"{"X-Key":"k","x-key":"k"}"#,
  ])
  func `a header that stands twice in any form is ambiguous`(_ headers: String) {
    #expect(read("{\"h\":\(headers)}", "/h/X-Key", headers: ["/h"]) == ["twice /h/X-Key"])
    #expect(read("{\"h\":\(headers)}", "/h/X-Other", headers: ["/h"]) == ["-"])
  }

  @Test(arguments: [
    (#"{"X-Key":[]}"#, "{}"), (#"{"X-Key":{}}"#, "{}"), (#"{"X-Key":[[[[["k"]]]]]}"#, "{}"),
    (#"{"X-Key":{"x":"k"}}"#, "{}"), (#"{"X-Key":{"x":1,"value":"k"}}"#, "{}"),
    (#"{"X-Key":{"key":"k"}}"#, "{}"), (#"{"X-Key":[null]}"#, "null"), (#"{"X-Key":[7]}"#, "n:7"),
    (#"[{"name":"X-Key","value":{}}]"#, "{}"), (#"[{"name":7,"value":"k"}]"#, "-"),
    (#"[{"name":["X-Key"],"value":"k"}]"#, "-"), (#"[["k","X-Key"]]"#, "-"),
    (#"["Host","X-Key"]"#, "-"), (#"["X-Key"]"#, "-"), (#""X-Key""#, "-"), (#""X-Key : k""#, "-"),
    (#"" X-Key: k""#, "-"), (#""Host: h\rX-Key: k""#, "-"), (#"7"#, "-"), (#"null"#, "-"),
    (#"[]"#, "-"), (#"[[],{},[[]]]"#, "-"), (#""X-Key:""#, "s:"),
  ])
  func `what is no header's value is none`(_ headers: String, _ found: String) {
    #expect(read("{\"h\":\(headers)}", "/h/X-Key", headers: ["/h"]) == [found])
  }

  @Test(arguments: [
    #"[{"name":"X-Key","value":"k""#, #"[{"name":"X-Key" "value":"k"}]"#, #"[["X-Key","k"}]"#,
    #"[{"value":"\x","name":"X-Key"}]"#, #"[{"name":"X-Key","value":01}]"#, #"["X-Key",]"#,
    #"{"X-Key":["k",]}"#, #"{"X-Key":{"stringValue":"k",}}"#, #"[{"value":nul,"name":"X-Key"}]"#,
  ])
  func `headers that are no JSON make the line none`(_ headers: String) {
    #expect(read("{\"h\":\(headers)}", "/h/X-Key", headers: ["/h"]) == ["malformed"])
  }

  /// Elements that are nearly as loggers write them.
  private static let elements = [
    #"{"key":"X-Key","value":{"stringValue":"k"}}"#, #"{"name":"X-Key","value":"k"}"#,
    #"{"key":"x-KEY","value":{"arrayValue":{"values":[{"stringValue":"k"}]}}}"#,
    #"{"name":"X-Key","value":{"stringValue":""}}"#, #"{"key":"","value":""}"#,
    #"{"key":"X-Other","value":{"stringValue":"k"}}"#, #"{"key":"X-Other","value":"k"}"#,
    #"{"key":"X-Key","value":"k\u0041"}"#, #"{"key":"\u0058-Key","value":{"stringValue":"\""}}"#,
    #"{"key":"X-Key","value":"\x"}"#, #"{"key":"X-\","value":{"stringValue":"k"}}"#,
    #"{"key":"X-Key","value":{"stringValue":"k","intValue":1}}"#,
    #"{"key":"X-Key","value":{"stringValue":"k"},"name":"X-Key"}"#,
    #"{"key":"X-Key","value":"k","value":"l"}"#, #"{"key":"X-Key","value":"k","more":[{}]}"#,
    #"{"key":"X-Key","value":{"arrayValue":{"values":[{"stringValue":"k"},{"stringValue":"l"}]}}}"#,
    #"{"key":"X-Key","value":{"arrayValue":{"values":[{"stringValue":"k"}],"more":1}}}"#,
    #"{"key":"X-Key","value":{"stringValue":7}}"#, #"{"key":"X-Key","value":7}"#,
    #"{"key":"X-Key","value":{"stringvalue":"k"}}"#, #"{"key":7,"value":"k"}"#,
    #"{"key":"X-Key","value":"k"7}"#, #"{"key":"X-Key","value":{"stringValue":"k"7}}"#,
    #"{"key":"X-Key"7,"value":"k"}"#, #"{"key":"X-Key","value":"k"]"#,
    #"{"key":"X-Key","value":{"stringValue":"k"]}"#, #"{"key":"X-Key","value":{"stringValue":"k"}"#,
    #"{"key":"X-Key","value":{"arrayValue":{"values":[{"stringValue":"k"}}}]}"#,
    #"{"key":"X-Key","value":{"arrayValue":{"values":[{"stringValue":"k"}]}}"#,
    #"{"key":"X-Key","value":"#, #"{"key":"X-Key","value":{"stringValue":""#, #"{"key":""#,
  ]

  @Test(arguments: elements)
  func `an element as loggers write it reads as it does with spaces in it`(_ element: String) {
    let twin = #"{"key":"X-Key","value":{"stringValue":"k"}}"#
    for list in [element, "\(element),\(twin)", "\(twin),\(element)", "7,\(element),null"] {
      let line = "{\"h\":[\(list)],\"z\":7}"
      let spaced = line.replacing("{", with: "{ ")
      for pointer in ["/h/X-Key", "/h/X-Key/stringValue", "/h/x/0"] {
        #expect(
          read(line, pointer, "/z", headers: ["/h"])
            == read(spaced, pointer, "/z", headers: ["/h"]),
          "\(line) \(pointer)")
      }
      // Cut anywhere, it is no JSON, however much of a list stands behind it.
      for count in 0..<line.utf8.count {
        let cut = String(decoding: line.utf8.prefix(count), as: UTF8.self)
        #expect(read(cut, "/h/X-Key", headers: ["/h"]) == ["malformed"])
      }
    }
  }

  @Test func `very many headers are read in one pass`() {
    let values = String(repeating: #"{"value":"\u0061","name":"X-Key"},"#, count: 50_000)
    #expect(
      read("{\"h\":[\(values)null]}", "/h/X-Key", headers: ["/h"]) == ["twice /h/X-Key"])
    let deep = String(repeating: "[", count: 1022) + String(repeating: "]", count: 1022)
    #expect(read("{\"h\":{\"X-Key\":\(deep)}}", "/h/X-Key", headers: ["/h"]) == ["{}"])
    #expect(read("{\"h\":{\"X-Key\":[\(deep)]}}", "/h/X-Key", headers: ["/h"]) == ["tooDeep"])
    #expect(read("{\"h\":[[\"X\",[\(deep)]]]}", "/h/X-Key", headers: ["/h"]) == ["tooDeep"])
  }

  @Test func `headers in a string, and headers in headers`() {
    #expect(read(#"{"e":"{\"H\":{\"X\":1}}"}"#, "/e/H/x", headers: ["/e/H"]) == ["n:1"])
    #expect(
      read(#"{"H":{"Inner":{"NAME":1}}}"#, "/H/inner/name", headers: ["/H/INNER", "/H"]) == ["n:1"])
  }

  // MARK: Strings that hold JSON

  @Test func `a pointer goes through strings that hold JSON`() {
    let inner = #"{"key":"k\u0041","list":[1,"{\"deep\":\"d\"}"],"n":null}"#
    let line = "{\"x\":0,\"body\":\(quoted(inner)),\"y\":1}"
    #expect(
      read(line, "/body/key", "/body/list/1/deep", "/body/list/0", "/body/n", "/body", "/y")
        == ["s:kA", "s:d", "n:1", "null", "s:" + inner, "n:1"])
    #expect(read(#"{"body":" [ 1 , 2 ] "}"#, "/body/1") == ["n:2"])
  }

  @Test(arguments: [
    "", " ", "text", "1", "true", "null", "\"{}\"", "{", "{\"k\":1", "{\"k\":1}}", "{\"k\":1}x",
    "{\"k\":01}", "{\"k\":1,}", "{'k':1}", "{\"k\":1}{\"k\":1}", "k=1&b=2", "[1",
    "{\"k\":\"\\ud800\"}",
    "{\"k\":1,\"z\":\"\\x\"}", "{\"k\":{\"k\":1},\"k\":}", "\u{FEFF}{\"k\":1}", "\\",
    "{\"k\":\u{1}}",
  ])
  func `behind a string that is no JSON there is nothing`(_ text: String) {
    let escaped = quoted(text).replacing("\u{1}", with: "\\u0001")
    #expect(read("{\"b\":\(escaped),\"a\":7}", "/b/k", "/b/0", "/a") == ["-", "-", "n:7"])
    // Nor behind one inside of one; what stands before it stays.
    let outer = quoted("{\"a\":1,\"b\":\(escaped),\"c\":2}")
    #expect(
      read("{\"o\":\(outer)}", "/o/a", "/o/b/k", "/o/c") == ["n:1", "-", "n:2"])
  }

  @Test func `what stands twice in a string that turns out to be no JSON is nothing`() {
    let broken = quoted(#"{"k":1,"k":2,"m":"{\"z\":1,\"z\":2}",}"#)
    #expect(read("{\"b\":\(broken)}", "/b/k", "/b/m/z") == ["-", "-"])
    let whole = quoted(#"{"k":1,"m":"{\"z\":1,\"z\":2}"}"#)
    #expect(read("{\"b\":\(whole)}", "/b/k", "/b/m/z") == ["twice /b/m/z"])
  }

  @Test func `strings are read only on the way to what is wanted`() {
    let line = Array(#"{"a":"{\"x\":1}","b":"{\"x\":2,\"c\":\"{\\\"y\\\":3}\"}"}"#.utf8)
    let texts = ["/a/x", "/b/x", "/b/c/y"]
    #expect(read(line, texts, wanted: 0) == ["-", "-", "-"])
    #expect(read(line, texts, wanted: 0b001) == ["n:1", "-", "-"])
    #expect(read(line, texts, wanted: 0b010) == ["-", "n:2", "-"])
    #expect(read(line, texts, wanted: 0b100) == ["-", "n:2", "n:3"])
  }

  @Test func `what was found stays when further strings are opened`() throws {
    var tree = try PointerTree(headers: [])
    let slots = try ["/a/x", "/b/x", "/b/c/y", "/d"].map { try tree.slot(of: pointer($0)) }
    let json = JSONLine(tree)
    let line =
      #"{"a":"{\"x\":\"\\u0041a\"}","d":"\u0064d","b":"{\"x\":\"\\u0062b\",\"c\":\"{\\\"y\\\":\\\"\\\\u0063c\\\"}\"}"}"#
    withLine(Array(line.utf8)) { bytes in
      #expect(unsafe json.read(bytes) == nil)
      for slot in slots + slots.reversed() { #expect(json.open(1 << UInt64(slot)) == true) }
      let texts = slots.map { unsafe String(decoding: json.value($0).text, as: UTF8.self) }
      #expect(texts == ["Aa", "bb", "cc", "dd"])
    }
  }

  @Test func `strings in strings are read as deep as a pointer goes, and no deeper`() {
    var text = "7"
    var path = ""
    for _ in 0..<8 {
      text = quoted("{\"a\":\(text)}")
      path += "/a"
    }
    // The outermost member is a string already.
    #expect(read("{\"a\":\(text)}", path + "/a") == ["n:7"])
    #expect(read("{\"a\":\(text)}", path + "/a/a") == ["-"])
    #expect(read("{\"a\":\(text)}", path)[0].hasPrefix("s:{"))
  }

  @Test func `nesting in a string is counted anew, and too much of it is no JSON`() {
    for (depth, found) in [(1024, "{}"), (1025, "-"), (300_000, "-")] {
      let inner = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      #expect(read("{\"b\":\"\(inner)\"}", "/b/0") == [found], "\(depth)")
    }
  }

  @Test func `huge strings are read once for each level`() {
    let filler = String(repeating: "1,", count: 1_000_000)
    let inner = "{\"f\":[\(filler)0],\"k\":\"v\"}"
    let line = "{\"b\":\(quoted("{\"c\":\(quoted(inner))}"))}"
    let start = ContinuousClock.now
    #expect(read(line, "/b/c/k", "/b/c/f/999999") == ["s:v", "n:1"])
    let escapes =
      "{\"b\":\(quoted("{\"c\":\"" + String(repeating: "\\u0041", count: 500_000) + "\"}"))}"
    #expect(read(escapes, "/b/c")[0].count == 500_002)
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func `a reader is used for line after line of any size`() throws {
    var tree = try PointerTree(headers: [])
    let slot = try tree.slot(of: pointer("/b/c/k"))
    let json = JSONLine(tree)
    for size in [0, 3_000_000, 5, 40_000, 2_000_000, 1] {
      let filler = String(repeating: "é", count: size)
      let inner = "{\"k\":\(quoted(filler + "\n"))}"
      for line in [
        "{\"b\":{\"c\":\(quoted(inner))}}", "{\"b\":\(quoted("{\"c\":\(quoted(inner))}"))}",
      ] {
        withLine(Array(line.utf8)) { bytes in
          #expect(unsafe json.read(bytes) == nil)
          #expect(json.open(.max) == true)
          #expect(unsafe json.value(slot).text.count == 2 * size + 1)
        }
        withLine(Array("{\"b\":".utf8)) { bytes in
          #expect(unsafe json.read(bytes) == .malformed)
          #expect(json.open(.max) == true)
        }
      }
    }
  }

  // MARK: Values as they stand

  @Test func `raw values are what stands in the line`() throws {
    let values = [
      "\"a\\u0041\"", "1.50", "true", "{ \"a\" : [1, 2 ] }", "[ ]", "[1,{\"x\":\"]\"}]", "\"\"",
      "{}",
    ]
    for inner in ["", "/x"] {
      var tree = try PointerTree(headers: [])
      let slot = try tree.slot(of: pointer("/b" + inner), raw: true)
      let json = JSONLine(tree)
      for value in values {
        for (before, behind) in [("", ""), (" \t", " \n "), ("", "\r")] {
          let member = "\(before)\(value)\(behind)"
          let line =
            inner.isEmpty
            ? "{\"b\":\(member),\"c\":1}"
            : "{\"b\":\(quoted("{\"x\":\(member)}").replacing("\r", with: "\\r").replacing("\t", with: "\\t"))}"
          withLine(Array(line.utf8)) { bytes in
            #expect(unsafe json.read(bytes) == nil)
            #expect(json.open(.max) == true)
            #expect(unsafe String(decoding: json.raw(slot), as: UTF8.self) == value)
          }
        }
      }
    }
  }

  // MARK: Limits

  @Test func `a tree has 64 slots and 16 steps`() throws {
    var tree = try PointerTree(headers: [])
    for index in 0..<64 { #expect(try tree.slot(of: pointer("/a/\(index)")) == index) }
    #expect(try tree.slot(of: pointer("/a/63")) == 63)
    #expect(throws: SchemaProblem("more than 64 different pointers")) {
      try tree.slot(of: pointer("/a"))
    }
    let line = "{\"a\":[" + (0..<64).map { "\"\($0)\"" }.joined(separator: ",") + "]}"
    let json = JSONLine(tree)
    withLine(Array(line.utf8)) { bytes in
      #expect(unsafe json.read(bytes) == nil)
      for slot in 0..<64 {
        #expect(unsafe String(decoding: json.value(slot).text, as: UTF8.self) == "\(slot)")
      }
    }
    var deep = try PointerTree(headers: [])
    let sixteen = String(repeating: "/a", count: 16)
    #expect(throws: SchemaProblem.self) { try deep.slot(of: pointer(sixteen + "/a")) }
    let nested = String(repeating: "{\"a\":", count: 16) + "5" + String(repeating: "}", count: 16)
    #expect(read(nested, sixteen) == ["n:5"])
  }

  @Test func `all slots at sixteen steps are found`() {
    let texts = (0..<64).map { "/\($0)" + String(repeating: "/x", count: 15) }
    let line =
      "{"
      + (0..<64).map {
        "\"\($0)\":" + String(repeating: "{\"x\":", count: 15) + "\($0)"
          + String(repeating: "}", count: 15)
      }.joined(separator: ",") + "}"
    #expect(read(Array(line.utf8), texts) == (0..<64).map { "n:\($0)" })
  }

  // MARK: Mutations

  @Test func `mutated lines never crash the reader, and what it gives can be read`() throws {
    let inner = #"{"key":"k\u0041\n","list":[1,{"a":"b"},"{\"deep\":[true,null]}"],"n":1e5}"#
    let lines = [
      "{\"h\":{\"X-A\":\"v\",\"x-b\":[\"w\"]},\"body\":\(quoted(inner)),\"n\":{\"m\":[[1],{\"k\":2}]}}",
      "{\"body\":\(inner),\"h\":\"{\\\"x-A\\\":1}\",\"n\":\(quoted(quoted(inner)))}",
    ].map { Array($0.utf8) }
    let pieces =
      [
        "\"", "\\", "{", "}", "[", "]", ",", ":", "\\\"", "\\\\\\\"", "\"body\":",
        "\"h\":{\"x-a\":1}",
      ]
      .map { Array($0.utf8) }
    var tree = try PointerTree(headers: [pointer("/h")])
    for text in [
      "/h/x-a", "/h/X-B/0", "/body", "/body/key", "/body/list/1/a", "/body/list/2/deep/0",
      "/body/n",
      "/n/m/1/k", "/n/key",
    ] {
      _ = try tree.slot(of: pointer(text), raw: text.count % 2 == 0)
    }
    let json = JSONLine(tree)
    var random = Generator(5)
    var opened = 0
    for _ in 0..<20_000 {
      var line = lines[random.below(lines.count)]
      for _ in 0...random.below(3) {
        let place = random.below(max(line.count, 1))
        switch random.below(4) {
        case 0 where !line.isEmpty: line[place] = random.byte()
        case 1 where !line.isEmpty: line.remove(at: place)
        case 2:
          line.insert(contentsOf: pieces[random.below(pieces.count)], at: min(place, line.count))
        default:
          let end = min(line.count, place + random.below(30))
          line.insert(contentsOf: line[min(place, end)..<end], at: min(place, line.count))
        }
      }
      withLine(line) { bytes in
        guard unsafe json.read(bytes) == nil else { return }
        var sum = 0
        for wanted: UInt64 in [1 << UInt64(random.below(9)), .max] {
          #expect(json.open(wanted) == true)
          #expect((json.duplicates & wanted != 0) == (json.twice(wanted) != nil))
          for slot in 0..<tree.slotPlaces.count {
            let value = json.value(slot)
            for byte in unsafe Array(value.text) { sum &+= Int(byte) }
            if value.isPresent, tree.places[tree.slotPlaces[slot]].wantsRaw {
              for byte in unsafe Array(json.raw(slot)) { sum &+= Int(byte) }
            }
          }
        }
        if sum != 0 { opened += 1 }
      }
    }
    #expect(opened > 1000)
  }
}
