import TestSupport
import Testing

@testable import AuditLog

/// Values of headers, in whatever form a log writes them: what the line's reader finds for pointers.
@Suite struct `Header reading` {
  @Test func `names of headers are told apart without capitals`() {
    for name in ["X-Key-Id", "x-key-id", "X-KEY-ID", "x-Key-iD", "\\u0058-key-id"] {
      #expect(
        readPlaces("{\"h\":{\"Y\":1,\"\(name)\":\"k\"}}", "/h/X-Key-Id", headers: ["/h"]) == ["s:k"]
      )
      #expect(
        readPlaces("{\"h\":{\"\(name)\":[\"k\"]}}", "/h/x-key-ID/0", headers: ["/h"]) == ["s:k"])
    }
    // ASCII alone; not the members of what they hold, nor other objects.
    #expect(readPlaces(#"{"h":{"É":1,"ſ":2}}"#, "/h/é", "/h/S", headers: ["/h"]) == ["-", "n:2"])
    #expect(readPlaces(#"{"h":{"x[":1}}"#, "/h/X{", headers: ["/h"]) == ["-"])
    #expect(readPlaces(#"{"h":{"X":{"a":1}}}"#, "/h/x/A", headers: ["/h"]) == ["-"])
    #expect(readPlaces(#"{"H":{"x":1}}"#, "/h/X", headers: ["/h"]) == ["-"])
    #expect(readPlaces(#"{"g":{"X":1},"h":{}}"#, "/g/x", "/h/x", headers: ["/h"]) == ["-", "-"])
  }

  @Test func `a header in two spellings occurs twice`() {
    for twin in ["X-A", "x-a", "X-a", "\\u0078-a"] {
      #expect(
        readPlaces("{\"h\":{\"x-A\":1,\"\(twin)\":1}}", "/h/X-A", headers: ["/h"]) == [
          "twice /h/X-A"
        ])
    }
    #expect(readPlaces(#"{"h":{"x-b":1,"X-B":1,"x-a":2}}"#, "/h/X-A", headers: ["/h"]) == ["n:2"])
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
    #expect(readPlaces(line, "/h/X-Key", "/z", headers: ["/h"]) == ["s:k", "n:7"])
    #expect(readPlaces(line, "/h/X-Ke", "/z", headers: ["/h"]) == ["-", "n:7"])
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
  func `a header that occurs twice in any form is ambiguous`(_ headers: String) {
    #expect(readPlaces("{\"h\":\(headers)}", "/h/X-Key", headers: ["/h"]) == ["twice /h/X-Key"])
    #expect(readPlaces("{\"h\":\(headers)}", "/h/X-Other", headers: ["/h"]) == ["-"])
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
    #expect(readPlaces("{\"h\":\(headers)}", "/h/X-Key", headers: ["/h"]) == [found])
  }

  @Test(arguments: [
    #"[{"name":"X-Key","value":"k""#, #"[{"name":"X-Key" "value":"k"}]"#, #"[["X-Key","k"}]"#,
    #"[{"value":"\x","name":"X-Key"}]"#, #"[{"name":"X-Key","value":01}]"#, #"["X-Key",]"#,
    #"{"X-Key":["k",]}"#, #"{"X-Key":{"stringValue":"k",}}"#, #"[{"value":nul,"name":"X-Key"}]"#,
  ])
  func `headers that are no JSON make the line none`(_ headers: String) {
    #expect(readPlaces("{\"h\":\(headers)}", "/h/X-Key", headers: ["/h"]) == ["malformed"])
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
          readPlaces(line, pointer, "/z", headers: ["/h"])
            == readPlaces(spaced, pointer, "/z", headers: ["/h"]),
          "\(line) \(pointer)")
      }
      // Cut anywhere, it is no JSON, however much of a list stands behind it.
      for count in 0..<line.utf8.count {
        let cut = String(decoding: line.utf8.prefix(count), as: UTF8.self)
        #expect(readPlaces(cut, "/h/X-Key", headers: ["/h"]) == ["malformed"])
      }
    }
  }

  @Test func `very many headers are read in one pass`() {
    let values = String(repeating: #"{"value":"\u0061","name":"X-Key"},"#, count: 50_000)
    #expect(
      readPlaces("{\"h\":[\(values)null]}", "/h/X-Key", headers: ["/h"]) == ["twice /h/X-Key"])
    let deep = String(repeating: "[", count: 1022) + String(repeating: "]", count: 1022)
    #expect(readPlaces("{\"h\":{\"X-Key\":\(deep)}}", "/h/X-Key", headers: ["/h"]) == ["{}"])
    #expect(readPlaces("{\"h\":{\"X-Key\":[\(deep)]}}", "/h/X-Key", headers: ["/h"]) == ["tooDeep"])
    #expect(readPlaces("{\"h\":[[\"X\",[\(deep)]]]}", "/h/X-Key", headers: ["/h"]) == ["tooDeep"])
  }

  @Test func `headers in a string, and headers in headers`() {
    #expect(readPlaces(#"{"e":"{\"H\":{\"X\":1}}"}"#, "/e/H/x", headers: ["/e/H"]) == ["n:1"])
    #expect(
      readPlaces(#"{"H":{"Inner":{"NAME":1}}}"#, "/H/inner/name", headers: ["/H/INNER", "/H"]) == [
        "n:1"
      ])
  }
}
