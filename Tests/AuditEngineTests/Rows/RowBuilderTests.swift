import AppAttest
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Row builder and cursor` {
  @Test func `every field comes back`() throws {
    let scratch = try Scratch()
    let texts = TextStore(folder: scratch.path)
    let row = RowBuilder(texts: texts)
    let position = Position(source: .max, line: .max)
    for _ in 0..<2 {
      row.begin()
      row.put(UInt8(200))
      row.put(UInt16.max)
      row.put(UInt64.max)
      row.big(UInt32(0x0102_0304))
      row.put(digest(3))
      row.put([1, 2, 3].span)
      row.put([UInt8]().span)
      row.put(optional: UInt32?.none)
      row.put(optional: UInt32.max)
      row.put(optional: Int64?.none)
      row.put(optional: Int64.min)
      row.put(Position?.none)
      row.put(position)
      row.big(position)
      for text in sampleTexts { try row.put(text: text) }
      try row.put(text: nil)
    }
    try withRow(row.bytes) { bytes in
      var cursor = unsafe RowCursor(bytes)
      #expect(cursor.number(UInt8.self) == 200)
      #expect(cursor.number(UInt16.self) == .max)
      #expect(cursor.number(UInt64.self) == .max)
      #expect(cursor.big(UInt32.self) == 0x0102_0304)
      #expect(cursor.digest() == digest(3))
      #expect(unsafe Array(cursor.bytes(3)) == [1, 2, 3])
      #expect(unsafe Array(cursor.bytes(0)) == [])
      #expect(cursor.optional(UInt32.self) == nil)
      #expect(cursor.optional(UInt32.self) == .max)
      #expect(cursor.optional(Int64.self) == nil)
      #expect(cursor.optional(Int64.self) == .min)
      #expect(cursor.optionalPosition() == nil)
      #expect(cursor.optionalPosition() == position)
      #expect(cursor.position() == position)
      for text in sampleTexts {
        let read = cursor.text()
        #expect(!read.isAbsent)
        let string = try read.string(texts)
        #expect(string == text)
      }
      let absent = cursor.text()
      #expect(absent.isAbsent)
      let string = try absent.string(texts)
      #expect(string == "")
    }
  }

  @Test func `times sort as their bytes do`() throws {
    let row = RowBuilder(texts: TextStore(folder: "/nowhere"))
    let times: [Int64] = [
      .min, .min + 1, -62_167_219_200_000, -256, -255, -2, -1, 0, 1, 255, 256, 1 << 40, .max - 1,
      .max,
    ]
    let keys = times.map { time in
      row.begin()
      row.bigTime(time)
      return row.bytes
    }
    for (lower, higher) in zip(keys, keys.dropFirst()) {
      #expect(lower.lexicographicallyPrecedes(higher))
    }
    for (time, key) in zip(times, keys) {
      withRow(key) { bytes in
        var cursor = unsafe RowCursor(bytes)
        #expect(cursor.bigTime() == time)
      }
    }
  }

  @Test func `positions sort as their bytes do`() {
    let row = RowBuilder(texts: TextStore(folder: "/nowhere"))
    var random = Generator(2)
    var positions = (0..<300).map { _ in
      Position(
        source: UInt32(truncatingIfNeeded: random.next() >> 40),
        line: random.next() >> UInt64(random.below(64)))
    }
    positions.sort()
    let keys = positions.map { position in
      row.begin()
      row.big(position)
      return row.bytes
    }
    #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
  }
}

@Suite struct `Text store and row text` {
  /// Calls `body` with two texts as rows have them.
  private func compare(_ left: String?, _ right: String?, _ texts: TextStore) throws -> Bool {
    let rows = try [left, right].map { text in
      let row = RowBuilder(texts: texts)
      row.begin()
      if let text { try row.put(text: text) } else { try row.put(text: nil) }
      return row.bytes
    }
    return withRow(rows[0]) { first in
      withRow(rows[1]) { second in
        var a = unsafe RowCursor(first)
        var b = unsafe RowCursor(second)
        return a.text() == b.text()
      }
    }
  }

  @Test func `texts are equal where their bytes are, wherever they are kept`() throws {
    let scratch = try Scratch()
    let texts = TextStore(folder: scratch.path)
    let candidates: [String?] =
      sampleTexts + [
        nil, "b", "A", "é", "e\u{301}", String(repeating: "x", count: 512) + "y",
        String(repeating: "x", count: 513) + "y",
        String(repeating: "long ", count: 49_999) + "lonG ",
      ]
    for (i, left) in candidates.enumerated() {
      for (j, right) in candidates.enumerated() {
        #expect(try compare(left, right, texts) == (i == j), "\(i) and \(j)")
      }
    }
  }

  @Test func `an identity made of bytes is that of the row's text`() throws {
    let scratch = try Scratch()
    let texts = TextStore(folder: scratch.path)
    for text in sampleTexts {
      let row = RowBuilder(texts: texts)
      row.begin()
      try row.put(text: "before it")
      row.begin()
      try row.put(text: text)
      withRow(row.bytes) { bytes in
        var cursor = unsafe RowCursor(bytes)
        #expect(unsafe Array(cursor.text().identity) == RowText.identity(of: Array(text.utf8)))
      }
    }
  }

  @Test func `long texts stay apart from each other and leave no file behind`() throws {
    let scratch = try Scratch()
    let texts = TextStore(folder: scratch.path)
    var random = Generator(4)
    let all = (0..<50).map { index in
      "\(index)"
        + String(
          repeating: Character(UnicodeScalar(97 + UInt8(index % 26))),
          count: 513 + random.below(9000))
    }
    let rows = try all.map { text in
      let row = RowBuilder(texts: texts)
      row.begin()
      try row.put(text: text)
      #expect(row.bytes.count == RowText.storedBytes)
      return row.bytes
    }
    for (row, text) in zip(rows, all).reversed() {
      let read = try withRow(row) { bytes in
        var cursor = unsafe RowCursor(bytes)
        return try cursor.text().string(texts)
      }
      #expect(read == text)
    }
    #expect(try scratch.names.isEmpty)
  }

  @Test func `a text that cannot be kept is a failure of temporary storage`() throws {
    let row = RowBuilder(texts: TextStore(folder: "/nowhere/at/all"))
    row.begin()
    try row.put(text: String(repeating: "x", count: TextStore.inlineBytes))
    let error = #expect(throws: AuditError.self) {
      try row.put(text: String(repeating: "x", count: TextStore.inlineBytes + 1))
    }
    #expect(error?.code == .temporaryStorage(ENOENT))
  }
}
