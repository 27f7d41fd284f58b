import AppAttest
import AuditSettings
import Foundation
import Testing

@testable import LogDiscovery

struct DataSearchTests {
  /// Returns the fields that are found if `signed` returns the signed bytes of each line, or their
  /// hash if `isHash` is true.
  private static func found(
    _ lines: [String], isHash: Bool = false, isRaw: Bool = false, signed: (Int) -> [UInt8]
  ) -> [String] {
    let sample = LogSample(of: lines)
    var search = DataSearch(sample.pointers)
    var checks = 10_000
    for (index, line) in sample.lines.enumerated() {
      let expected = isHash ? signed(index) : Digest256.sha256(signed(index).span).bytes
      _ = search.look(at: line, excluding: [], checks: &checks) {
        $0 == expected
      }
    }
    let role = DataFields(
      search.forms, in: sample.lines, role: .assertion, of: search.examined, isRaw: isRaw,
      sample.pointers)
    return role.fields.map { SchemaWriter.text($0.field, $0.mapping) + " \($0.lines)/\($0.of)" }
      + role.left
  }

  private static let odd =
    "makes the signature valid on 1 of 1 lines, and no schema can express that: log what was signed"

  @Test(arguments: [
    (#"{"x":1,"body":"hello"}"#, "hello", "clientData: {pointer: /body, encoding: utf8} 1/1"),
    (#"{"body":""}"#, "", "clientData: {pointer: /body, encoding: utf8} 1/1"),
    (#"{"body":"aGVsbG8gdGhlcmU="}"#, "hello there", "clientData: /body 1/1"),
    (#"{"body":"68656c6c6f"}"#, "hello", "clientData: {pointer: /body, encoding: hex} 1/1"),
    (
      #"{"body": {"amount": 12} }"#, #"{"amount": 12}"#,
      "clientData: {pointer: /body, encoding: raw} 1/1"
    ),
    (#"{"n":17}"#, "17", "clientData: {pointer: /n, encoding: utf8} 1/1"),
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
      #"{"headers":{"X-Nonce":"c-1234"},"body":"b"}"#, "b.c-1234",
      "clientData: {template: '{/body}.{/headers/X-Nonce}'} 1/1"
    ),
    (
      #"{"headers":{"X-Challenge":"YWJjZGVmZ2hpamtsbW5vcA=="},"body":"b"}"#, "abcdefghijklmnopb",
      "clientData: {template: '{/headers/X-Challenge|base64}{/body}'} 1/1"
    ),
    // Forms that no schema can express are named.
    (
      #"{"body":"{\"b\": 1, \"a\": \"ä/\"}"}"#, #"{"a":"ä/","b":1}"#,
      "the SHA-256 of the field body written as JSON with its members sorted, no spaces \(odd)"
    ),
    (
      #"{"m":"{\"body\":{\"a\": \"\\u00e4/\"}}"}"#, #"{"a":"\u00e4\/"}"#,
      "the SHA-256 of the field body written as JSON with no spaces, slashes escaped, characters "
        + "outside ASCII escaped \(odd)"
    ),
    (
      #"{"body":"hello"}"#, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      "the SHA-256 of the hex text of the SHA-256 of the field body \(odd)"
    ),
  ])
  func `the form is found`(line: String, signed: String, expected: String) {
    #expect(Self.found([line]) { _ in Array(signed.utf8) } == [expected])
  }

  @Test(arguments: [(true, "clientData"), (false, "clientDataHash")])
  func `a value that is the hash itself is found`(_ isRaw: Bool, _ name: String) {
    let text = "a challenge of more than 16 bytes"
    let found = Self.found([#"{"c":"\#(text)"}"#], isHash: true, isRaw: isRaw) { _ in
      Array(text.utf8)
    }
    #expect(found == ["\(name): {pointer: /c, encoding: utf8} 1/1"])
  }

  @Test func `a value here or there becomes a list of pointers, other encodings other fields`() {
    let lines = (0..<20).map {
      $0.isMultiple(of: 2) ? #"{"a":"text \#($0)"}"# : #"{"b":"text \#($0)"}"#
    }
    #expect(
      Self.found(lines) { Array("text \($0)".utf8) }
        == ["clientData: {pointer: [/a, /b], encoding: utf8} 20/20"])
    let mixed = (0..<20).map { index in
      let base64 = Data([0, 1, 2, UInt8(index)]).base64EncodedString()
      return index.isMultiple(of: 2) ? #"{"a":"text \#(index)"}"# : #"{"b":"\#(base64)"}"#
    }
    let found = Self.found(mixed) { index in
      index.isMultiple(of: 2) ? Array("text \(index)".utf8) : [0, 1, 2, UInt8(index)]
    }
    #expect(found.sorted() == ["clientData: /b 10/20", "payload: /a 10/20"])
  }

  @Test func `no more checks are spent than allowed, and known forms are tried first`() {
    let members = (0..<250).map { "\"m\($0)\":\"/value/\($0)\"" }.joined(separator: ",")
    let sample = LogSample(
      of: (0..<200).map { "{\"method\":\"GET\",\"verb\":\"PUT\",\"s\":\"s\($0)\",\(members)}" })
    for (isValid, left) in [(false, 0...0), (true, 3000...6000)] {
      var (search, checks) = (DataSearch(sample.pointers), 6000)
      for (index, line) in sample.lines.enumerated() {
        let expected = Digest256.sha256(Array("s\(index)".utf8).span).bytes
        _ = search.look(at: line, excluding: [], checks: &checks) {
          isValid && $0 == expected
        }
      }
      #expect((search.best != nil) == isValid)
      #expect(left.contains(checks))
    }
  }

  @Test func `programs name members as they are`() {
    #expect(
      ["body", "a.b", #"a"\(b)"#, ""].map(ProgramText.member) == [
        ".body", #"."a.b""#, #"."a\"\\(b)""#, #"."""#,
      ])
    let sample = LogSample(of: [#"{"a":{"b":1},"m":"{\"d\":{\"e\":1}}"}"#])
    let paths = sample.lines[0].values.compactMap {
      ProgramText.path(to: $0.pointer, in: sample.lines[0], sample.pointers)
    }
    #expect(paths.sorted() == [".a", ".a.b", ".m"])
  }
}
