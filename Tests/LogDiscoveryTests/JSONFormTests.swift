import AppAttest
import Testing

@testable import LogDiscovery

@Suite struct `JSON that is written again` {
  private static func written(_ text: String, isSorted: Bool = false) -> String? {
    JSONForm(isSorted: isSorted).bytes(of: Array(text.utf8)[...])
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    (#"{ "b" : 2, "a":[1.50, true ,null,{}] }"#, #"{"b":2,"a":[1.50,true,null,{}]}"#),
    (#"{"a":"Zo\u00eb\/\ud83e\uddea"}"#, #"{"a":"Zoë/🧪"}"#),
    (#"{"a":"\"\\\b\f\n\r\t\u001f"}"#, #"{"a":"\"\\\b\f\n\r\t\u001f"}"#),
    (#"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#), ("[]", "[]"), ("[ 1e5 , -0 ]", "[1e5,-0]"),
  ])
  func `spaces and needless escapes go`(_ text: String, _ expected: String) {
    #expect(Self.written(text) == expected)
  }

  @Test func `members stand in the order of their names where that is asked for`() {
    #expect(
      Self.written(#"{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}],"B":0}"#, isSorted: true)
        == #"{"B":0,"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}"#)
  }

  @Test(arguments: ["", "{", "{}{}", #"{"a":}"#, #"{"a":"\ud800"}"#, "{'a':1}"])
  func `what is no JSON is not written`(_ text: String) {
    #expect(Self.written(text) == nil)
  }

  @Test(arguments: [
    (#"{"body": {"b": 1, "a": 2}}"#, #"{"b":1,"a":2}"#, "written /body false"),
    (#"{"body": {"b": 1, "a": 2}}"#, #"{"a":2,"b":1}"#, "written /body true"),
    (#"{"body": {"a": 1}}"#, #"{"a": 1}"#, "value /body"),
    (#"{"body":{"a":1}}"#, #"{"a":1}"#, "value /body"),
    (#"{"m":"{\"body\":{\"a\": 1}}"}"#, #"{"a":1}"#, "written /m/body false"),
  ])
  func `what was signed is found in it`(_ line: String, _ signed: String, _ expected: String) {
    let sample = LogSample(of: [line])
    var search = DataSearch()
    var checks = 1000
    let hash = Array(signed.utf8)
    _ = search.look(at: sample.lines[0], excluding: [], sample.pointers, checks: &checks) { bytes in
      bytes == Digest256.sha256(hash.span).bytes
    }
    let form = search.best(sample.pointers)?.form
    if let json = form?.change.json {
      #expect("written \(place(form)) \(json.isSorted)" == expected)
    } else {
      #expect("value \(place(form))" == expected)
    }
    func place(_ form: DataForm?) -> String {
      form?.pointer.map(sample.pointers.text) ?? "none"
    }
  }

  @Test func `every form that programs write is tried`() {
    let text = #"{ "b" : "ä/", "a":[1,2] }"#
    let forms = JSONForm.forms(of: Array(text.utf8)[...])
      .map { String(decoding: $0.bytes, as: UTF8.self) }
    for form in [
      #"{"b":"ä/","a":[1,2]}"#, #"{"a":[1,2],"b":"ä/"}"#, #"{"b": "ä/", "a": [1, 2]}"#,
      #"{"a":[1,2],"b":"ä\/"}"#, #"{"a": [1, 2], "b": "\u00e4/"}"#,
    ] { #expect(forms.contains(form), "\(form)") }
    #expect(forms.count == 16)
    #expect(JSONForm.forms(of: Array("{}".utf8)[...]).count == 4)
    #expect(JSONForm.forms(of: Array("text".utf8)[...]).isEmpty)
  }

  @Test func `programs name members as they are`() {
    #expect(ProgramText.member("body") == ".body")
    #expect(ProgramText.member("a.b") == #"."a.b""#)
    #expect(ProgramText.member(#"a"\(b)"#) == #"."a\"\\(b)""#)
    #expect(ProgramText.member("") == #"."""#)
    let sample = LogSample(of: [#"{"a":{"b":{"c":1}},"m":"{\"d\":{\"e\":1}}"}"#])
    let paths = sample.lines[0].values.compactMap {
      ProgramText.path(to: $0.pointer, in: sample.lines[0], sample.pointers)
    }
    #expect(paths.sorted() == [".a", ".a.b", ".a.b.c", ".m"])
  }
}
