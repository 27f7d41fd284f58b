import AppAttest
import AuditLog
import Files
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Texts that many rows have` {
  private let texts = TextStore(folder: "/nowhere", sharesTexts: true)

  /// Returns the bytes of a row of one text.
  private func write(
    _ text: String, _ row: RowBuilder, _ field: RowBuilder.RepeatedField = .sentence
  ) throws -> [UInt8] {
    row.begin()
    try row.put(repeated: text, field)
    return row.bytes
  }

  /// Returns the text of a row.
  private func read(_ bytes: [UInt8], _ texts: TextStore) throws -> String {
    try withRow(bytes) { bytes in
      var cursor = unsafe RowCursor(bytes)
      let text = try cursor.text().string(texts)
      #expect(unsafe cursor.remainder().isEmpty)
      return text
    }
  }

  @Test func `one that comes again has a place, for all threads`() throws {
    let (row, other) = (RowBuilder(texts: texts), RowBuilder(texts: texts))
    let text = "No attestation of this key is known."
    #expect(try write(text, row).count == 2 + text.utf8.count)
    let second = try write(text, row)
    #expect(second.count == RowText.sharedBytes)
    _ = try write(text, other, .appID)
    #expect(try write(text, other, .appID) == second)
    #expect(try read(second, texts) == text)
  }

  @Test func `every text comes back, byte for byte`() throws {
    let row = RowBuilder(texts: texts)
    // Unicode takes the pairs for one text.
    let all = [
      "", "short", "\u{E9} composed", "e\u{301} composed", "a\u{323}\u{307} marks",
      "a\u{307}\u{323} marks", String(repeating: "x", count: TextStore.inlineBytes),
    ]
    for _ in 0..<3 {
      for text in all + all.reversed() {
        let found = try read(write(text, row), texts)
        #expect(Array(found.utf8) == Array(text.utf8))
      }
    }
  }

  @Test func `where there is no room they stand in their rows`() throws {
    let row = RowBuilder(texts: texts)
    for index in 0..<SharedTexts.capacity {
      for _ in 0..<2 { _ = try write("sentence \(index)", row) }
    }
    for _ in 0..<3 {
      let bytes = try write("one more sentence", row)
      #expect(bytes.count == 2 + 17)
      #expect(try read(bytes, texts) == "one more sentence")
    }
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
