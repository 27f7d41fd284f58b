import Testing

@testable import AuditLog

@Suite struct `JSON documents` {
  private static func read(_ text: String) -> [String]? {
    JSONDocument().read(Array(text.utf8)[...])?.map { value in
      func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
      let name = value.name.map { text($0) + ": " } ?? ""
      return "\(name)\(value.kind) \(value.size) '\(text(value.text))' \(text(value.raw))"
    }
  }

  @Test func `values come in their order, with names, sizes and how they stand`() {
    #expect(
      Self.read(#" { "a" : [ 1, true , null ] , "b\u0041":"x\ny" , "c":{} } "#) == [
        #"object 7 '' { "a" : [ 1, true , null ] , "b\u0041":"x\ny" , "c":{} }"#,
        "a: array 4 '' [ 1, true , null ]", "number 1 '1' 1", "boolean 1 'true' true",
        "null 1 '' null", "bA: string 1 'x\ny' \"x\\ny\"", "c: object 1 '' {}",
      ])
    #expect(Self.read(#""x""#) == [#"string 1 'x' "x""#])
    #expect(Self.read("-1.5e3 ") == ["number 1 '-1.5e3' -1.5e3"])
    #expect(Self.read(#"{"":""}"#)?.last == #": string 1 '' """#)
  }

  @Test(arguments: [
    "", " ", "{", "}", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "[,1]", "1 2", "{} {}",
    "[1 2]", "{\"a\" 1}", "{1:2}", "tru", "nul", "01", "+1", "1.", "\"\\ud800\"", "\"\\x\"",
    "\"a", "[}", "{]", "\u{1}", "{\"a\":1]", "[\"a\":1]", "NaN", "'a'", "{\"a\":1}}",
  ])
  func `what is no JSON is refused`(_ text: String) {
    #expect(Self.read(text) == nil)
  }

  @Test func `bytes that are no UTF-8, and controls in strings, are refused`() {
    #expect(JSONDocument().read([0x22, 0xFF, 0x22]) == nil)
    #expect(JSONDocument().read([0x22, 0x0A, 0x22]) == nil)
    #expect(JSONDocument().read([]) == nil)
  }

  @Test func `nesting ends at 1024`() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(Self.read(nested(1024))?.count == 1024)
    #expect(Self.read(nested(1025)) == nil)
    #expect(Self.read(nested(100_000)) == nil)
  }

  @Test func `one reader reads many texts, long ones too`() {
    let reader = JSONDocument()
    for count in [1, 50_000, 3, 200_000, 0] {
      let text = "[" + (0..<count).map { "\"\\u0041\($0)\"" }.joined(separator: ",") + "]"
      let values = reader.read(Array(text.utf8)[...])
      #expect(values?.count == count + 1)
      #expect(values?.first?.size == count + 1)
      if count > 0 { #expect(values?.last.map { Array($0.text) } == Array("A\(count - 1)".utf8)) }
      #expect(reader.read(Array("[".utf8)[...]) == nil)
    }
  }
}
