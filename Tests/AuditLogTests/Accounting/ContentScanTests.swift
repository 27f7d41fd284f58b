import Compression
import Testing

@testable import AuditLog

@Suite struct `Content scan` {
  /// A content in pieces; `nil` stands for damage.
  private typealias Pieces = [String?]

  private func scan(
    _ pieces: Pieces, size: Int = .max, _ beginnings: [AccountedInput] = []
  ) throws -> ScannedContent {
    let scan = try ContentScan { _ in beginnings }
    for piece in pieces {
      guard let piece else {
        scan.damage(StreamDamage(.corrupt, at: 0, "it is damaged"))
        continue
      }
      let bytes = Array(piece.utf8)
      for start in stride(from: 0, to: bytes.count, by: min(size, max(bytes.count, 1))) {
        let end = min(bytes.count, start + min(size, bytes.count))
        try unsafe bytes[start..<end].withUnsafeBytes { try unsafe scan.take($0) }
      }
    }
    return try scan.finish(fileBytes: 7)
  }

  /// Returns the offset where reading goes on, and checks that it is the same for every size of
  /// pieces.
  private func resume(
    _ first: Pieces, _ second: Pieces, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> UInt64? {
    let accounted = try scan(first).accounted(source: 5, name: "a")
    let whole = try scan(second, [accounted]).grownFrom
    for size in [1, 2, 3, 7] {
      let pieces = try scan(second, size: size, [accounted]).grownFrom
      #expect(pieces?.at == whole?.at && pieces?.source == whole?.source)
    }
    if whole != nil { #expect(whole?.source == 5) }
    return whole?.at
  }

  @Test func `lines and ends are those of the whole content`() throws {
    for (pieces, lines, resume, resumeLines) in [
      ([""], 0, 0, 0), (["\n"], 1, 1, 1), (["a"], 1, 0, 0), (["a\n"], 1, 2, 1),
      (["a\nb"], 2, 2, 1), (["a\r\nb\r"], 2, 3, 1), (["a\n\n"], 2, 3, 2), (["\u{FEFF}a"], 1, 0, 0),
      // Cut at the end, the last line counts for nothing; cut in between, it is a line.
      (["a\nb", nil], 1, 2, 1), (["a\nb", nil, nil], 1, 2, 1), (["a\nb", nil, "c"], 3, 3, 2),
      (["a\n", nil], 1, 2, 1), (["a\n", nil, "b\n"], 2, 4, 2), ([nil, "a"], 1, 0, 0),
      (["a", nil, "\n"], 2, 2, 2), (["a", nil, "b", nil, "c\n", nil], 3, 4, 3),
    ] as [(Pieces, UInt64, UInt64, UInt64)] {
      for size in [1, 2, 100] {
        let content = try scan(pieces, size: size)
        #expect(content.lines == lines, "\(pieces)")
        #expect(content.resumeBytes == resume && content.resumeLines == resumeLines, "\(pieces)")
        #expect(content.grownFrom == nil && content.fileBytes == 7)
      }
    }
  }

  @Test(arguments: [
    // What was there, what is there, and where reading goes on.
    ("a\n", "a\nb\n", 2), ("a\n\n", "a\n\n\n", 3), ("a\n", "a\n\nb", 2),
    // The last line was whole: its end comes now, with blanks before it or not.
    ("a", "a\n", 2), ("a", "a\r\n", 3), ("a\r", "a\r\n", 3), ("a", "a \t\r\nb", 5),
    ("a", "a\nb", 2),
    ("x\na", "x\na\n\n", 4), ("a \t", "a \t\n", 4), (" ", " \n", 2), ("\r", "\r\n", 2),
    // It was the beginning of a longer one.
    ("a", "ab\n", 0), ("a", "ab", 0), ("x\na", "x\na b\n", 2), ("a\r", "a\rb\n", 0),
    ("x\na", "x\na\u{0B}\n", 2), ("\u{FEFF}", "\u{FEFF}a\n", 0), ("\u{FEFF}a", "\u{FEFF}ab\n", 0),
    // Nothing has come but blanks: nothing is read, and the line stays open.
    ("a", "a ", 2), ("x\na", "x\na\r", 4), ("a ", "a \t ", 4),
  ])
  func `where reading goes on`(_ first: String, _ second: String, _ at: UInt64) throws {
    #expect(try resume([first], [second]) == at)
  }

  @Test func `a line that stays open is read from its beginning once it goes on`() throws {
    let first = try scan(["x\na"]).accounted(source: 1, name: "a")
    let second = try scan(["x\na "], [first])
    #expect(second.grownFrom?.at == 4 && second.resumeBytes == 2 && second.lines == 2)
    let third = try scan(["x\na b\n"], [first, second.accounted(source: 2, name: "a")])
    #expect(third.grownFrom?.source == 2 && third.grownFrom?.at == 2)
    let ended = try scan(["x\na \nb"], [first, second.accounted(source: 2, name: "a")])
    #expect(ended.grownFrom?.source == 2 && ended.grownFrom?.at == 5)
    #expect(ended.recognised.map(\.source) == [1, 2])
  }

  @Test func `a line that damage had cut off is read again whatever follows`() throws {
    #expect(try resume(["x\na", nil], ["x\na", nil, "b\n"]) == 2)
    // It cut nothing where a line had just ended.
    #expect(try resume(["x\na\n", nil], ["x\na\nb\n", nil]) == 4)
    // A whole one is compared with it line by line.
    for second in ["x\na\n", "x\nab\n", "x\na \n", "x\na\nb\n"] {
      #expect(try resume(["x\na", nil], [second]) == nil, "\(second)")
      let accounted = try scan(["x\na", nil]).accounted(source: 5, name: "a")
      #expect(try scan([second], [accounted]).damagedCandidates.map(\.source) == [5])
    }
    // In between, it is a line like others.
    #expect(try resume(["x", nil, "a\n"], ["x", nil, "a\nb\n"]) == 3)
    #expect(try resume(["x", nil, "a"], ["x", nil, "ab\n"]) == 1)
  }

  @Test(
    arguments: [
      ("a\nb", nil, 0..<4), ("a\n", nil, 0..<3), ("", nil, 0..<1), ("a\nb", 2, 2..<4),
      // Where a checksum fails, what follows it is whole, unless the line before it was cut.
      ("a\n", 0, 0..<2), ("a\nbc\n", 2, 2..<5),
    ] as [(String, UInt64?, Range<UInt64>)])
  func `damage leaves unproven what is before it, and the line behind a cut`(
    _ front: String, _ from: UInt64?, _ unproven: Range<UInt64>
  ) throws {
    let scan = try ContentScan { _ in [] }
    try unsafe Array(front.utf8).withUnsafeBytes { try unsafe scan.take($0) }
    scan.damage(StreamDamage(.corrupt, at: 0, "it is damaged", unprovenFrom: from))
    try unsafe Array("more\nand more\n".utf8).withUnsafeBytes { try unsafe scan.take($0) }
    #expect(try scan.finish(fileBytes: 7).unproven == [unproven])
  }

  @Test(
    arguments: [
      // The head has 8 bytes of the 10 that came before the damage.
      (.corrupt, 8, nil, true), (.corrupt, 7, nil, false), (.corrupt, 0, nil, false),
      (.truncated, 0, nil, true), (.corrupt, 0, 0, false), (.corrupt, 0, 4, true),
    ] as [(StreamDamage.Kind, UInt64, UInt64?, Bool)])
  func `a head is proven unless damage may have garbled it before it showed`(
    _ kind: StreamDamage.Kind, _ start: UInt64, _ from: UInt64?, _ isProven: Bool
  ) throws {
    let scan = try ContentScan { _ in [] }
    try unsafe Array("0123456789".utf8).withUnsafeBytes { try unsafe scan.take($0) }
    let damage = StreamDamage(kind, at: 0, "it is damaged", unprovenFrom: from)
    scan.damage(damage, inContentFrom: start)
    #expect(try scan.finish(fileBytes: 7).isHeadProven == isProven)
  }

  @Test(arguments: [(4095, false), (4096, true), (9000, true)])
  func `a head is whole where none is longer`(_ count: Int, _ isWhole: Bool) throws {
    let scan = try ContentScan { _ in [] }
    let content = [UInt8](repeating: 0x61, count: count)
    try unsafe content.withUnsafeBytes { try unsafe scan.take($0) }
    let end = UInt64(count)
    scan.damage(StreamDamage(.corrupt, at: end, "it is damaged"), inContentFrom: end)
    let scanned = try scan.finish(fileBytes: 7)
    #expect(scanned.isHeadProven && scanned.hasWholeHead == isWhole)
  }

  @Test func `damage ends a line that was judged`() throws {
    #expect(try resume(["a"], ["a", nil, "b\n"]) == 1)
    #expect(try resume(["a"], ["a ", nil, "b\n"]) == 2)
    #expect(try resume(["a"], ["a", nil, "\n"]) == 1)
    #expect(try resume(["a"], ["ab", nil, "\n"]) == 0)
  }

  @Test func `another content is no beginning`() throws {
    for (first, second) in [
      ("a\n", "b\nc\n"), ("a\n", "a"), ("a\nb\n", "a\n"), ("a\n", "a\r\n"), ("", "a\n"),
    ] {
      #expect(try resume([first], [second]) == nil)
    }
  }

  @Test func `heads are asked for once, and compared at their very end`() throws {
    let text = String(repeating: "0123456789abcde\n", count: 256)
    #expect(text.utf8.count == AccountedInput.headBytes)
    let exact = try scan([text])
    #expect(exact.heads.last == exact.sha256 && exact.heads.marks.count == 13)
    #expect(
      try scan([String(text.dropLast())]).heads.marks
        == Array(exact.heads.marks.prefix(12)))
    #expect(try scan(["abc"]).heads.last == scan(["ab"]).sha256)
    #expect(try scan([""]).heads == HeadDigests([]))
    // Of a damaged content, what came in front of the damage.
    #expect(try scan(["abc", nil, "defgh"]).heads.marks.count == 2)
    let digests = try (0..<13).map { try scan([String(text.prefix(1 << $0))]).sha256 }
    #expect(exact.heads == HeadDigests(digests))
    let accounted = exact.accounted(source: 3, name: "a")
    for size in [1, 4095, 4096, 4097, 9000] {
      var asked: [[UInt8]?] = []
      let scan = try ContentScan { head in
        asked.append(head)
        return head == nil ? [] : [accounted]
      }
      let bytes = Array((text + "more\n").utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        let end = min(bytes.count, start + size)
        try unsafe bytes[start..<end].withUnsafeBytes { try unsafe scan.take($0) }
      }
      let content = try scan.finish(fileBytes: 0)
      #expect(content.grownFrom?.source == 3 && content.grownFrom?.at == 4096)
      #expect(asked == [nil] + digests)
    }
  }

  @Test func `candidates that lie about their lengths do no harm`() throws {
    let whole = try scan(["a\nb\n"])
    var inputs: [AccountedInput] = []
    for (index, bytes) in ([0, 1, 2, 3, 4, 4, 5, 1 << 40, .max] as [UInt64]).enumerated() {
      var input = whole.accounted(source: UInt32(index), name: "x")
      input.bytes = bytes
      input.resumeBytes = .max
      input.lines = .max
      inputs.append(input)
    }
    let content = try scan(["a\nb\nc"], size: 1, inputs)
    #expect(content.recognised.map(\.source).sorted() == [4, 5])
    #expect(content.grownFrom?.at == 4)
  }
}
