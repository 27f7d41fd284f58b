import TestSupport
import Testing

@testable import AuditLog

/// Readings that `Tests/Cases/reading.txt` does not state: memory, sizes and time.
@Suite struct `JSON line` {
  @Test func `a cut object is refused wherever it is cut, whatever lies behind it`() {
    let whole = Array(
      "{\"time\":1.5e3,\"x\":[true,null,{\"y\":\"\\u00e9z\"}],\"payload\":\"é\"}".utf8)
    for length in 0..<whole.count {
      for behind in ["}", "\"}", "]}", "0}", " ", "\"]}],:", ",\"a\":1}"] {
        let failure = withLine(Array(whole[..<length]), behind: Array(behind.utf8)) { text in
          var duplicate: LogField?
          return unsafe JSONLine().read(text, duplicate: &duplicate)
        }
        #expect(failure != nil, "cut at \(length), with \(behind) behind")
      }
    }
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

  @Test func `huge strings are read once for each level`() {
    let filler = String(repeating: "1,", count: 1_000_000)
    let inner = "{\"f\":[\(filler)0],\"k\":\"v\"}"
    let line = "{\"b\":\(quoted("{\"c\":\(quoted(inner))}"))}"
    let start = ContinuousClock.now
    #expect(readPlaces(line, "/b/c/k", "/b/c/f/999999") == ["s:v", "n:1"])
    let escapes =
      "{\"b\":\(quoted("{\"c\":\"" + String(repeating: "\\u0041", count: 500_000) + "\"}"))}"
    #expect(readPlaces(escapes, "/b/c")[0].count == 500_002)
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
          #expect(unsafe json.read(bytes) == .endsEarly(at: 5))
          #expect(json.open(.max) == true)
        }
      }
    }
  }

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
    #expect(readPlaces(nested, sixteen) == ["n:5"])
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

  @Test(arguments: ["{\"", "{}", "{\"a\":", "\\\"", "\"", "\\", "}", "{\"a\":1} "])
  func `whatever stands in front without end is read in one pass`(_ piece: String) throws {
    var schema = LogSchema.standard
    schema.skipsPrefix = true
    let reader = RecordReader(schema: try CompiledSchema(schema)) { _ in false }
    var buffer = ByteBuffer()
    let line = "{\(base),\"payload\":\"note\"}"
    let many = String(repeating: piece, count: 200_000)
    let clock = ContinuousClock()
    let start = clock.now
    for (text, isRecord) in [("\(many) \(line)", true), (many, false)] {
      let outcome = withLine(Array(text.utf8)) { unsafe reader.read($0, into: &buffer) }
      if case .record = outcome { #expect(isRecord) } else { #expect(!isRecord) }
    }
    #expect(clock.now - start < .seconds(20))
  }
}
