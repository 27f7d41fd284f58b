import TestSupport
import Testing

@testable import AuditLog

/// Values at the places of a tree: what the line's reader finds for pointers.
@Suite struct `Pointer reading` {
  // MARK: Objects and arrays

  @Test func `values are found wherever a pointer goes`() {
    let line = #"{"a":{"b":{"c":"x","d":1.5e3},"e":null},"f":[10,[20,{"g":true}],"z"],"a/b":1}"#
    #expect(
      readPlaces(line, "/a/b/c", "/a/b/d", "/a/e", "/f/1/1/g", "/f/0", "/f/2", "/a~1b", "/a/b")
        == ["s:x", "n:1.5e3", "null", "true", "n:10", "s:z", "n:1", "{}"])
  }

  @Test func `what a pointer does not reach is absent`() {
    let line = #"{"a":{"b":1},"f":[1,2],"s":"text","n":5,"t":true,"z":null}"#
    for text in [
      "/x", "/a/x", "/a/b/c", "/f/2", "/f/-", "/f/01", "/f/00", "/f/+1", "/f/1e0", "/f/-1",
      "/f/99999999999999999999999999", "/s/0", "/n/0", "/t/x", "/z/x", "/A", "/a/B", "/",
      "/a/", "/f/", "/f/ 0", "/a~0b",
    ] {
      #expect(readPlaces(line, text) == ["-"], "\(text)")
    }
  }

  @Test func `numbers are names in objects`() {
    #expect(readPlaces(#"{"0":{"01":"x","-":"y"}}"#, "/0/01", "/0/-") == ["s:x", "s:y"])
    #expect(readPlaces(#"{"a":{"1":"x"}}"#, "/a/1", "/a/0") == ["s:x", "-"])
    #expect(readPlaces(#"{"a":["x"]}"#, "/a/1", "/a/0") == ["-", "s:x"])
  }

  @Test func `names may be empty, long, or of any script`() {
    let long = String(repeating: "name-", count: 40)
    let near = long.dropLast() + "_"
    for name in ["", " ", "é", "😀", "a\u{0}b", "16 bytes in it..", "17 bytes in it...", long] {
      let key = name.replacing("\u{0}", with: "\\u0000")
      #expect(
        readPlaces("{\"\(key)\":1,\"x\":{\"\(key)\":2}}", "/\(name)", "/x/\(name)") == [
          "n:1", "n:2",
        ],
        "\(name)")
    }
    #expect(readPlaces("{\"\(near)\":1,\"\(long)\":2}", "/\(long)") == ["n:2"])
    #expect(readPlaces("{\"\(near)\":1}", "/\(long)") == ["-"])
  }

  @Test func `names are compared decoded`() {
    #expect(readPlaces(#"{"\u0061":{"b\u0063\n":"x"}}"#, "/a/bc\n") == ["s:x"])
    #expect(
      readPlaces(#"{"a~1b":1,"a/b":2,"a~b":3}"#, "/a~01b", "/a~1b", "/a~0b") == [
        "n:1", "n:2", "n:3",
      ])
  }

  @Test func `elements are counted, whatever they are`() {
    let elements = ["1", "\"\"", "null", "[]", "[[[]]]", "{}", "{\"0\":1}", "true", "[1,2]"]
    for count in 0..<elements.count {
      let list = elements[..<count].joined(separator: ", ")
      let line = "{\"f\":[\(list)\(count > 0 ? "," : "")\"here\",\"behind\"]}"
      #expect(readPlaces(line, "/f/\(count)") == ["s:here"], "\(line)")
    }
    let many = "{\"f\":[" + String(repeating: "0,", count: 200_000) + "7]}"
    #expect(
      readPlaces(many, "/f/200000", "/f/3", "/f/200001", "/f/0") == ["n:7", "n:0", "-", "n:0"])
  }

  @Test(arguments: [
    #"{"a":{"b":1,}}"#, #"{"a":{"b"}}"#, #"{"a":{b:1}}"#, #"{"a":{"b":01}}"#, #"{"a":["#,
    #"{"a":{"b":1]}"#, #"{"a":[1}}"#, #"{"a":[1,]}"#, #"{"a":[,1]}"#, #"{"a":{"b":"\ud80"}}"#,
    #"{"a":{"\x4":1}}"#, #"{"a":{"b":NAN}}"#, #"{"a":{"b":}}"#, #"{"a":{}"#, #"{"a":{"b":1}"#,
    #"{"a":{"b":1}}{}"#, #"{"a":[1 2]}"#, #"{"a":[1]]}"#, #"{"a":{"b":1,"b":01}}"#,
    #"{"a":1,"a":{]}}"#,
  ])
  func `what is no JSON is refused inside of what is examined, too`(_ line: String) {
    #expect(readPlaces(line, "/a/b", "/a/0") == ["malformed"])
    #expect(readPlaces(line, "/a/b/c/d", "/a") == ["malformed"])
  }

  /// The tolerances of `records.R81`.
  @Test(arguments: [
    (#"{"a":{"b":"\ud800"}}"#, "s:\u{FFFD}"), (#"{"a":{"\ud800":1,"b":2}}"#, "n:2"),
    (#"{"a":{"b":NaN}}"#, "null"), (#"{"a":{"b":1}}}"#, "n:1"), (#"{"a":{"b":"\x41"}}"#, "s:A"),
    ("{\"a\":{\"b\":\"\u{1}\"}}", "s:\u{1}"), ("\u{0}\u{FEFF}{\"a\":{\"b\":1}}", "n:1"),
  ])
  func `a pointer goes through the second reading, too`(_ line: String, _ found: String) {
    #expect(readPlaces(line, "/a/b") == [found])
    // A string that holds JSON is read likewise.
    let outer = "{\"o\":\(quoted(line)),\"z\":7}"
    #expect(readPlaces(outer, "/o/a/b", "/z") == [found, "n:7"])
  }

  @Test func `nesting goes to 1024 on the way of a pointer, too`() {
    for (open, close) in [("[", "]"), ("{\"0\":", "}")] {
      for (depth, isTaken) in [(1022, true), (1023, false), (100_000, false)] {
        let inner =
          String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        let found = readPlaces("{\"a\":{\"b\":\(inner)}}", "/a/b/0/0")
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
  func `a name is ambiguous where it occurs twice on a pointer's way`(
    _ line: String, _ text: String, _ found: String
  ) {
    #expect(readPlaces(line, text) == [found])
  }

  @Test func `only what is on the way to what is wanted counts`() {
    let line = Array(#"{"a":{"b":1,"b":2},"c":"{\"d\":1,\"d\":2}","e":5}"#.utf8)
    let texts = ["/a/b", "/c/d", "/e"]
    #expect(readPlaces(line, texts, wanted: 0b001) == ["twice /a/b"])
    #expect(readPlaces(line, texts, wanted: 0b010) == ["twice /c/d"])
    #expect(readPlaces(line, texts, wanted: 0b100) == ["n:1", "-", "n:5"])
  }

  // MARK: Strings that hold JSON

  @Test func `a pointer goes through strings that hold JSON`() {
    let inner = #"{"key":"k\u0041","list":[1,"{\"deep\":\"d\"}"],"n":null}"#
    let line = "{\"x\":0,\"body\":\(quoted(inner)),\"y\":1}"
    #expect(
      readPlaces(line, "/body/key", "/body/list/1/deep", "/body/list/0", "/body/n", "/body", "/y")
        == ["s:kA", "s:d", "n:1", "null", "s:" + inner, "n:1"])
    #expect(readPlaces(#"{"body":" [ 1 , 2 ] "}"#, "/body/1") == ["n:2"])
  }

  @Test(arguments: [
    "", " ", "text", "1", "true", "null", "\"{}\"", "{", "{\"k\":1", "{\"k\":1}[0]",
    "{\"k\":01}", "{\"k\":1,}", "{'k':1}", "{\"k\":1}{\"k\":1}", "k=1&b=2", "[1",
    "{\"k\":\"\\ud80\"}",
    "{\"k\":1,\"z\":\"\\x\"}", "{\"k\":{\"k\":1},\"k\":}", "\u{FEFF}x{\"k\":1}", "\\",
    "{\"k\":\u{1}}",
  ])
  func `behind a string that is no JSON there is nothing`(_ text: String) {
    let escaped = quoted(text).replacing("\u{1}", with: "\\u0001")
    #expect(readPlaces("{\"b\":\(escaped),\"a\":7}", "/b/k", "/b/0", "/a") == ["-", "-", "n:7"])
    // Nor behind one inside of one; what stands before it stays.
    let outer = quoted("{\"a\":1,\"b\":\(escaped),\"c\":2}")
    #expect(
      readPlaces("{\"o\":\(outer)}", "/o/a", "/o/b/k", "/o/c") == ["n:1", "-", "n:2"])
  }

  @Test func `what occurs twice in a string that turns out to be no JSON is nothing`() {
    let broken = quoted(#"{"k":1,"k":2,"m":"{\"z\":1,\"z\":2}",}"#)
    #expect(readPlaces("{\"b\":\(broken)}", "/b/k", "/b/m/z") == ["-", "-"])
    let whole = quoted(#"{"k":1,"m":"{\"z\":1,\"z\":2}"}"#)
    #expect(readPlaces("{\"b\":\(whole)}", "/b/k", "/b/m/z") == ["twice /b/m/z"])
  }

  @Test func `strings are read only on the way to what is wanted`() {
    let line = Array(#"{"a":"{\"x\":1}","b":"{\"x\":2,\"c\":\"{\\\"y\\\":3}\"}"}"#.utf8)
    let texts = ["/a/x", "/b/x", "/b/c/y"]
    #expect(readPlaces(line, texts, wanted: 0) == ["-", "-", "-"])
    #expect(readPlaces(line, texts, wanted: 0b001) == ["n:1", "-", "-"])
    #expect(readPlaces(line, texts, wanted: 0b010) == ["-", "n:2", "-"])
    #expect(readPlaces(line, texts, wanted: 0b100) == ["-", "n:2", "n:3"])
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
    #expect(readPlaces("{\"a\":\(text)}", path + "/a") == ["n:7"])
    #expect(readPlaces("{\"a\":\(text)}", path + "/a/a") == ["-"])
    #expect(readPlaces("{\"a\":\(text)}", path)[0].hasPrefix("s:{"))
  }

  @Test func `nesting in a string is counted again, and too much of it is no JSON`() {
    for (depth, found) in [(1024, "{}"), (1025, "-"), (300_000, "-")] {
      let inner = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      #expect(readPlaces("{\"b\":\"\(inner)\"}", "/b/0") == [found], "\(depth)")
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
    #expect(readPlaces(nested, sixteen) == ["n:5"])
  }

  @Test func `all slots at sixteen steps are found`() {
    let texts = (0..<64).map { "/\($0)" + String(repeating: "/x", count: 15) }
    let line =
      "{"
      + (0..<64).map {
        "\"\($0)\":" + String(repeating: "{\"x\":", count: 15) + "\($0)"
          + String(repeating: "}", count: 15)
      }.joined(separator: ",") + "}"
    #expect(readPlaces(Array(line.utf8), texts) == (0..<64).map { "n:\($0)" })
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
