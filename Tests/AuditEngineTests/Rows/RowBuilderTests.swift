import AppAttest
import AuditLog
import Files
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

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
    let texts = TextStore()
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
