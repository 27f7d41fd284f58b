import AppAttest
import AuditLog
import Files
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

/// A row with every kind of field.
private struct AllFields: CodedRow, Equatable {
  var (byte, wide, keyed): (UInt8, UInt64, UInt32) = (0, 0, 0)
  var keyTime: Int64 = 0
  var keyPosition = Position(source: 0, line: 0)
  var (flag, kind): (Bool, RecordKind) = (false, .assertion)
  var worst: Severity?
  var number: Int64?
  var keyID: Digest256?
  var position: Position?
  var category: ValidationCategory?
  var codes: [FindingCode] = []
  var counts: [UInt64] = [0, 0, 0]
  var bytes: [UInt8] = []
  var texts = [String](repeating: "", count: sampleTexts.count)

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.number(&byte)
    try coder.number(&wide)
    try coder.key(&keyed)
    try coder.key(time: &keyTime)
    try coder.key(&keyPosition)
    try coder.flag(&flag)
    try coder.value(&kind)
    try coder.value(&worst)
    try coder.optional(&number)
    try coder.optional(&keyID)
    try coder.optional(&position)
    try coder.optional(&category)
    try coder.codes(&codes)
    for index in counts.indices { try coder.smallCount(&counts[index]) }
    try coder.counted(&bytes)
    for index in texts.indices { try coder.text(&texts[index]) }
  }
}

@Suite struct `Row builder and coders` {
  @Test func `every field comes back, and no shorter row is read`() throws {
    let scratch = try Scratch()
    let texts = TextStore(folder: scratch.path)
    let row = RowBuilder(texts: texts)
    let full = AllFields(
      byte: 200, wide: .max, keyed: 0x0102_0304, keyTime: .min,
      keyPosition: Position(source: .max, line: .max), flag: true, kind: .challenge,
      worst: .critical, number: .min, keyID: digest(3), position: Position(source: .max, line: 1),
      category: ValidationCategory(rawValue: .max), codes: FindingCode.allCases,
      counts: [254, 255, .max], bytes: [UInt8](repeating: 7, count: 255), texts: sampleTexts)
    for fields in [AllFields(), full] {
      for _ in 0..<2 { try fields.write(row) }
      #expect(try withRow(row.bytes) { unsafe try AllFields($0, texts) } == fields)
      for count in 0..<row.bytes.count {
        withRow(Array(row.bytes.prefix(count))) { bytes in
          _ = #expect(throws: AuditError.self) { unsafe try AllFields(bytes, texts) }
        }
      }
    }
  }

  @Test func `times sort as their bytes do`() throws {
    let times: [Int64] = [
      .min, .min + 1, -62_167_219_200_000, -256, -255, -2, -1, 0, 1, 255, 256, 1 << 40, .max - 1,
      .max,
    ]
    let keys = times.map { time in
      var time = time
      return BytesEncoder.bytes { (row) throws(AuditError) in try row.key(time: &time) }
    }
    for (lower, higher) in zip(keys, keys.dropFirst()) {
      #expect(lower.lexicographicallyPrecedes(higher))
    }
    for (time, key) in zip(times, keys) {
      try withRow(key) { bytes in
        var (coder, read): (_, Int64) = (unsafe RowDecoder(bytes), 0)
        try coder.key(time: &read)
        #expect(read == time)
      }
    }
  }

  @Test func `positions sort as their bytes do`() {
    var random = Generator(2)
    var positions = (0..<300).map { _ in
      Position(
        source: UInt32(truncatingIfNeeded: random.next() >> 40),
        line: random.next() >> UInt64(random.below(64)))
    }
    positions.sort()
    let keys = positions.map { position in
      var position = position
      return BytesEncoder.bytes { (row) throws(AuditError) in try row.key(&position) }
    }
    #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
  }
}

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

  @Test func `a few that take turns have places`() throws {
    let row = RowBuilder(texts: texts)
    for text in ["the first", "the second", "the third", "the fourth"] { _ = try write(text, row) }
    for _ in 0..<2 {
      for text in ["the fifth", "the sixth"] { _ = try write(text, row) }
    }
    #expect(try write("the fifth", row).count == RowText.sharedBytes)
    #expect(try write("the sixth", row).count == RowText.sharedBytes)
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

  @Test func `texts that differ leave no place taken, and those of another field stay`() throws {
    let row = RowBuilder(texts: texts)
    for index in 0..<3 * SharedTexts.capacity {
      _ = try write("sentence \(index)", row)
      let app = try write("SYNTH00001.app", row, .appID)
      #expect(index == 0 || app.count == RowText.sharedBytes)
    }
    _ = try write("the last one", row)
    #expect(try write("the last one", row).count == RowText.sharedBytes)
  }

  @Test func `a long text is not held for the next row, and takes no other's place`() {
    let shared = SharedTexts()
    var recent = RecentTexts()
    #expect(recent.place(of: "a sentence", in: shared) == nil)
    for index in 0..<5 {
      let long = String(repeating: "x", count: TextStore.inlineBytes) + "\(index)"
      #expect(recent.place(of: long, in: shared) == nil)
    }
    #expect(recent.place(of: "a sentence", in: shared) == 0)
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

  @Test func `rows that go elsewhere have their texts with them`() throws {
    let elsewhere = TextStore(folder: "/nowhere")
    let row = RowBuilder(texts: elsewhere)
    let text = "No attestation of this key is known."
    for _ in 0..<3 { #expect(try write(text, row).count == 2 + text.utf8.count) }
    _ = try write(text, RowBuilder(texts: texts))
    var shared = [UInt8]()
    let sharing = RowBuilder(texts: texts)
    for _ in 0..<2 { shared = try write(text, sharing) }
    #expect(throws: AuditError.self) { try read(shared, elsewhere) }
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
        #expect(cursor.text().identity == RowText.identity(of: Array(text.utf8)))
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
