import AppAttest
import AuditSettings
import Foundation
import Testing

@testable import LogDiscovery

struct DataSearchTests {
  /// Returns what is found where `signed` gives for each line the bytes that were signed. Their hash is
  /// taken unless `isHash`.
  private static func found(
    _ lines: [String], isHash: Bool = false, isRaw: Bool = false, signed: (Int) -> [UInt8]
  ) -> [String] {
    let sample = LogSample(of: lines)
    var search = DataSearch()
    var checks = 10_000
    for (index, line) in sample.lines.enumerated() {
      let bytes = signed(index)
      let expected = isHash ? bytes : Digest256.sha256(bytes.span).bytes
      _ = search.look(at: line, excluding: [], sample.pointers, checks: &checks) {
        $0 == expected
      }
    }
    let role = DataFields(
      search.forms(sample.pointers), role: .assertion, of: search.examined, isRaw: isRaw,
      sample.pointers)
    return role.fields.map { SchemaWriter.text($0.field, $0.mapping) + " \($0.lines)/\($0.of)" }
      + role.left
  }

  @Test(arguments: [
    (#"{"x":1,"body":"hello"}"#, "hello", "clientData: {pointer: /body, encoding: utf8} 1/1"),
    (#"{"body":""}"#, "", "clientData: {pointer: /body, encoding: utf8} 1/1"),
    (#"{"body":"aGVsbG8gdGhlcmU="}"#, "hello there", "clientData: /body 1/1"),
    (
      #"{"body":"68656c6c6f"}"#, "hello", "clientData: {pointer: /body, encoding: hex} 1/1"
    ),
    (
      #"{"body": {"amount": 12} }"#, #"{"amount": 12}"#,
      "clientData: {pointer: /body, encoding: raw} 1/1"
    ),
    (
      #"{"body":"a\nb"}"#, #""a\nb""#, "clientData: {pointer: /body, encoding: raw} 1/1"
    ),
    (
      #"{"m":"{\"body\":[1, 2]}"}"#, "[1, 2]", "clientData: {pointer: /m/body, encoding: raw} 1/1"
    ),
    (#"{"n":17}"#, "17", "clientData: {pointer: /n, encoding: utf8} 1/1"),
    (
      #"{"method":"GET","path":"/a"}"#, "GET /a",
      "clientData: {template: '{/method} {/path}'} 1/1"
    ),
    (
      #"{"method":"GET","path":"/a","body":"b"}"#, "GET\n/a\nb",
      #"clientData: {template: "{/method}\n{/path}\n{/body}"} 1/1"#
    ),
    (
      #"{"method":"GET","path":"/a","query":"q=1"}"#, "GET /a?q=1",
      "clientData: {template: '{/method} {/path}?{/query}'} 1/1"
    ),
    (
      #"{"r":{"verb":"PUT","uri":"/a"},"t":"n1"}"#, "/an1",
      "clientData: {template: '{/r/uri}{/t}'} 1/1"
    ),
    // A challenge and the body, in either order.
    (
      #"{"headers":{"X-Challenge":"c-1234"},"body":"b"}"#, "c-1234b",
      "clientData: {template: '{/headers/X-Challenge}{/body}'} 1/1"
    ),
    (
      #"{"headers":{"X-Nonce":"c-1234"},"body":"b"}"#, "b.c-1234",
      "clientData: {template: '{/body}.{/headers/X-Nonce}'} 1/1"
    ),
    (
      #"{"headers":{"X-Challenge":"YWJjZGVmZ2hpamtsbW5vcA=="},"body":"b"}"#, "abcdefghijklmnopb",
      "clientData: {template: '{/headers/X-Challenge|base64}{/body}'} 1/1"
    ),
    // Forms that no schema can express are named.
    (
      #"{"body":"{\"b\": 1, \"a\": 2}"}"#, #"{"a":2,"b":1}"#,
      "the SHA-256 of the field body written as JSON with its members sorted, no spaces makes the "
        + "signature valid on 1 of 1 lines, and no schema can express that: log what was signed"
    ),
    (
      #"{"body":"hello"}"#, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      "the SHA-256 of the hex text of the SHA-256 of the field body makes the signature valid on "
        + "1 of 1 lines, and no schema can express that: log what was signed"
    ),
  ])
  func `the form is found`(line: String, signed: String, expected: String) {
    #expect(Self.found([line]) { _ in Array(signed.utf8) } == [expected])
  }

  @Test func `a value that is the hash itself is found`() {
    let hash = Digest256.sha256(Array("x".utf8).span)
    #expect(
      Self.found([#"{"h":"\#(hash.hex)"}"#], isHash: true) { _ in hash.bytes }
        == ["clientDataHash: {pointer: /h, encoding: hex} 1/1"])
    for (isRaw, name) in [(true, "clientData"), (false, "clientDataHash")] {
      let text = "a challenge of more than 16 bytes"
      let found = Self.found([#"{"c":"\#(text)"}"#], isHash: true, isRaw: isRaw) { _ in
        Array(text.utf8)
      }
      #expect(found == ["\(name): {pointer: /c, encoding: utf8} 1/1"])
    }
  }

  @Test func `a value here or there becomes a list of pointers`() {
    let lines = (0..<20).map {
      $0.isMultiple(of: 2) ? #"{"a":"text \#($0)"}"# : #"{"b":"text \#($0)"}"#
    }
    #expect(
      Self.found(lines) { Array("text \($0)".utf8) }
        == ["clientData: {pointer: [/a, /b], encoding: utf8} 20/20"])
  }

  @Test func `different encodings become different fields`() {
    let lines = (0..<20).map { index in
      let base64 = Data([0, 1, 2, UInt8(index)]).base64EncodedString()
      return index.isMultiple(of: 2) ? #"{"a":"text \#(index)"}"# : #"{"b":"\#(base64)"}"#
    }
    let found = Self.found(lines) { index in
      index.isMultiple(of: 2) ? Array("text \(index)".utf8) : [0, 1, 2, UInt8(index)]
    }
    #expect(found.sorted() == ["clientData: /b 10/20", "payload: /a 10/20"])
  }

  @Test func `nothing is found where nothing holds, and no more is spent than allowed`() {
    let members = (0..<250).map { "\"m\($0)\":\"/value/\($0)\"" }.joined(separator: ",")
    let line = "{\"method\":\"GET\",\"verb\":\"PUT\",\(members)}"
    let sample = LogSample(of: Array(repeating: line, count: 200))
    var search = DataSearch()
    var checks = 6000
    var spent = 0
    for line in sample.lines {
      #expect(
        !search.look(at: line, excluding: [], sample.pointers, checks: &checks) { _ in
          spent += 1
          return false
        })
    }
    #expect(search.best(sample.pointers) == nil)
    #expect(spent == 6000)
    #expect(checks == 0)
  }

  @Test func `what held before is tried first`() {
    let members = (0..<90).map { "\"m\($0)\":\"value \($0)\"" }.joined(separator: ",")
    let sample = LogSample(of: (0..<100).map { "{\(members),\"signed\":\"s\($0)\"}" })
    var search = DataSearch()
    var checks = 6000
    for (index, line) in sample.lines.enumerated() {
      let expected = Digest256.sha256(Array("s\(index)".utf8).span).bytes
      #expect(
        search.look(at: line, excluding: [], sample.pointers, checks: &checks) { $0 == expected })
    }
    #expect(checks > 5000)
  }
}

struct ValueDecoderTests {
  @Test(
    arguments: [
      (#"{"v":"0x0aFF"}"#, [10, 255]), (#"{"v":"\\x0aff"}"#, [10, 255]),
      (#"{"v":[10, 255,0]}"#, [10, 255, 0]),
      (#"{"v":{"type":"Buffer","data":[1,2]}}"#, [1, 2]), (#"{"v":"0aff"}"#, nil),
      (#"{"v":[10,256]}"#, nil), (#"{"v":[]}"#, nil), (#"{"v":["1"]}"#, nil),
      (#"{"v":[1.5]}"#, nil),
      (#"{"v":{"data":[1,2]}}"#, nil), (#"{"v":[1,,2]}"#, nil), (#"{"v":[[1],2]}"#, nil),
    ] as [(String, [UInt8]?)])
  func `bytes are read from marked hex, arrays and buffers (records.R82)`(
    _ line: String, _ bytes: [UInt8]?
  ) {
    // A container follows its elements.
    let value = LogSample(of: [line]).lines[0].values.last
    #expect(value.flatMap(ValueDecoder.marked) == bytes)
  }
}
