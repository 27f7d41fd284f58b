import Compression
import TestSupport
import Testing

@testable import AuditLog

/// The lines that a text holds, by the words of `records.md` and without any batches.
private func reference(_ bytes: [UInt8], limit: Int) -> [SeenLine] {
  var lines: [SeenLine] = []
  var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  while at < bytes.count {
    let end = bytes[at...].firstIndex(of: 0x0A)
    var text = Array(bytes[at..<(end ?? bytes.count)])
    if text.last == 0x0D { text.removeLast() }
    var state = LogLine.State.whole
    if text.count > limit {
      state = .overlong
    } else if text.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
      state = .blank
    }
    lines.append(
      SeenLine(
        number: UInt64(lines.count + 1), offset: UInt64(at), state: state,
        text: state == .overlong ? [] : text, head: Array(text.prefix(256))))
    at = (end ?? bytes.count) + 1
  }
  return lines
}

@Suite struct `Line cutter` {
  @Test(arguments: [1, 2, 3, 5, 64, 4096])
  func `line ends are LF or CRLF, and the last may be missing`(_ batchBytes: Int) throws {
    let seen = try read("a\nbc\r\n\r\n\n d \n\t\r\ne\rf\ng", batchBytes: batchBytes)
    #expect(seen.texts == ["a", "bc", "", "", " d ", "\t", "e\rf", "g"])
    #expect(seen.lines.map(\.number) == Array(1...8))
    #expect(seen.lines.map(\.offset) == [0, 2, 6, 8, 9, 13, 16, 20])
    #expect(
      seen.lines.map(\.state) == [.whole, .whole, .blank, .blank, .whole, .blank, .whole, .whole])
    #expect(seen.summary.decompressedBytes == 21 && seen.summary.bytes == 21)
    #expect(seen.damages.isEmpty && seen.summary.damage == nil)
  }

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\n", ["a", ""]), ("\n\n", ["", ""]),
    ("\r\n", [""]), ("a\r", ["a"]), ("a\r\r\n", ["a\r"]),
  ])
  func `short streams`(_ text: String, _ lines: [String]) throws {
    for batchBytes in [1, 2, 64] {
      #expect(try read(text, batchBytes: batchBytes).texts == lines)
    }
  }

  @Test(arguments: [3, 4, 64, 4096])
  func `a byte order mark counts at the start of the stream only`(_ batchBytes: Int) throws {
    let seen = try read("\u{FEFF}a\n\u{FEFF}b\nc\u{FEFF}\n", batchBytes: batchBytes)
    #expect(
      seen.lines.map(\.text) == [[0x61], [0xEF, 0xBB, 0xBF, 0x62], [0x63, 0xEF, 0xBB, 0xBF]])
    #expect(seen.lines.map(\.offset) == [3, 5, 10])
    #expect(try read("\u{FEFF}\u{FEFF}\n").lines.map(\.text) == [[0xEF, 0xBB, 0xBF]])
    #expect(try read("\u{FEFF}\na").lines.map(\.state) == [.blank, .whole])
    #expect(try read("\u{FEFF}").lines.isEmpty)
    #expect(try read([0xEF, 0xBB]).lines.map(\.text) == [[0xEF, 0xBB]])
    #expect(try read([0xEF, 0xBB, 0x0A]).lines.map(\.text) == [[0xEF, 0xBB]])
  }

  /// Texts with lines at a limit and far beyond it, and with a line that fills a grown batch to the last bytes.
  private static func edges(_ batchBytes: Int) -> [(text: String, limit: Int)] {
    let long = String(repeating: "0123456789", count: 40_000)
    var edges = [
      ("a\n\(long)\nb\n\(long)\r\n\n\(long)", 1000),
      ("\u{FEFF}" + String(repeating: "é", count: 2000), 1024),
    ]
    for (limit, end) in [300, 301, 511, 1000].flatMap({ limit in
      ["\n", "\r\n", ""].map { (limit, $0) }
    }) {
      for length in (limit - 2)...(limit + 8) {
        let text =
          String(repeating: "x", count: length) + end + (end.isEmpty ? "" : "next" + end)
        edges += [(text, limit), ("\u{FEFF}" + text, limit)]
      }
    }
    for end in (2 * batchBytes - 4)...(4 * batchBytes) where batchBytes < 300 {
      let text =
        String(repeating: "x", count: end) + "\n" + String(repeating: "y", count: 5 * batchBytes)
      edges.append((text + "\nz\n", 8 * batchBytes))
    }
    return edges
  }

  @Test(arguments: [8, 16, 64, 100, 255, 256, 259, 400, 1000, 4096, 1 << 16])
  func `lines at the edges are those of the reference`(_ batchBytes: Int) throws {
    for (text, limit) in Self.edges(batchBytes) {
      let seen = try read(text, batchBytes: batchBytes, lineLimit: limit)
      #expect(
        seen.lines == reference(Array(text.utf8), limit: limit),
        "\(text.utf8.count) bytes, limit \(limit), batch \(batchBytes)")
    }
  }

  @Test func `lines do not depend on the size of the batches`() throws {
    var random = Generator(42)
    for round in 0..<120 {
      let limit = 256 + random.below(800)
      var bytes: [UInt8] = random.below(4) == 0 ? [0xEF, 0xBB, 0xBF] : []
      for _ in 0..<random.below(30) {
        let length =
          switch random.below(6) {
          case 0: 0
          case 1: limit - 3 + random.below(8)
          case 2: random.below(4 * limit)
          default: random.below(120)
          }
        let filler: [UInt8] = [0x20, 0x61, 0x0D, 0xC3, 0x00]
        let only = random.below(filler.count + 2)
        bytes += (0..<length).map { _ in
          let byte = only < filler.count ? filler[only] : random.byte()
          return byte == 0x0A ? 0x0B : byte
        }
        bytes += [[0x0A], [0x0D, 0x0A]][random.below(2)]
      }
      if random.below(2) == 0, !bytes.isEmpty { bytes.removeLast() }
      let expected = reference(bytes, limit: limit)
      let scratch = try Scratch()
      let file = LogSource(name: "log", origin: .file(path: try scratch.write("log", bytes)))
      for batchBytes in [64, 65, 127, 256, 1000, 64 + random.below(4032), 4096, 1 << 20] {
        let seen = read(file, batchBytes: batchBytes, lineLimit: limit)
        #expect(seen.lines == expected, "round \(round), batches of \(batchBytes)")
      }
    }
  }

  @Test func `compressed lines are the lines that went in`() throws {
    var random = Generator(8)
    let text = (0..<3000).map { "{\"n\":\($0),\"x\":\"\(random.next())\"}\n" }.joined()
    let bytes = Array(text.utf8)
    let parts = stride(from: 0, to: bytes.count, by: 7001).map {
      Array(bytes[$0..<min($0 + 7001, bytes.count)])
    }
    for packed in [try zstd(parts), try gzip(parts), try zstd([bytes]), try gzip([bytes])] {
      for batchBytes in [64, 777, 1 << 18] {
        let seen = try read(packed, batchBytes: batchBytes)
        #expect(seen.lines == reference(bytes, limit: 1 << 20))
        #expect(seen.damages.isEmpty)
        #expect(seen.summary.bytes == UInt64(packed.count))
        #expect(seen.summary.decompressedBytes == UInt64(bytes.count))
      }
    }
  }
}
