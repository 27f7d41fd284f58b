import AuditLog
import Testing

@testable import LogDiscovery

/// Strings that stand for others, found by what they decode to.
struct WrappingSearchTests {
  /// Returns the wrappings found in some lines, each as `pointer form flag`.
  private static func found(_ lines: [String]) -> [String] {
    let sample = LogSample(of: lines)
    return WrappingSearch(sample: sample).find().map { wrapping in
      "\(sample.pointers.text(wrapping.pointer)) \(wrapping.form.rawValue)"
        + (wrapping.flag.map { " \(sample.pointers.text($0))" } ?? "")
    }
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
    // Tokens of any map: of four members, and with the members in another order.
    (
      [
        #"{"b":"eyJhIjoicEdObWJYUnZZWEJ3YkdVdFlYQndZWFIwWlhOMFoyRjBkRk4wYlhTZ2FHRjFkR2hFWVhSaFFHWmpaRWhoYzJoQkFBPT0ifQ=="}"#
      ], ["/b base64"]
    ),
    (
      [
        #"{"b":"eyJhIjoibzJaalpFaGhjMmhCQUdsemFXZHVZWFIxY21WQkFIRmhkWFJvWlc1MGFXTmhkRzl5UkdGMFlVRUEifQ=="}"#
      ], ["/b base64"]
    ),
    ([#"{"k":"AQE%3D"}"#, #"{"k":"AQE"}"#], ["/k percent"]),
    // With the slash and the colon as they are: only where a token stands in it.
    ([#"{"b":"a%3Do2NmbXRv/AQE%3D"}"#, #"{"b":"x:y%20z"}"#], ["/b percent"]),
    ([#"{"b":"a%3Do2NmbXRv/ AQE%3D"}"#], []), ([#"{"b":"a%3Do2NmbXRv/AQE%3"}"#], []),
    ([#"{"b":"a%3Do2NmbXRv/AQE%3D"}"#, #"{"b":"{\"a\":1}"}"#], []),
    ([#"{"b":"\"{\\\"a\\\":1}\""}"#, #"{"b":""}"#], ["/b json"]),
    ([#"{"b":"note"}"#, #"{"b":"eyJhIjoxfQ=="}"#, #"{"b":"a note"}"#], []),
    ([#"{"p":"/a%20b"}"#], []), ([#"{"t":"100%"}"#, #"{"t":"a%20b"}"#], []),
    ([#"{"b":"\"a\""}"#], []), ([#"{"k":"AQEB"}"#], []),
    (
      [#"{"body":"a b","isBase64Encoded":true}"#, #"{"body":"bm90ZQ","isBase64Encoded":true}"#], []
    ),
  ])
  func `wrappings are found`(_ lines: [String], _ expected: [String]) {
    #expect(Self.found(lines) == expected)
  }
}
