import Compression
import Foundation
import TestSupport
import Testing

@testable import AuditLog

private func lines(_ name: String, _ range: Range<Int>) -> [UInt8] {
  range.flatMap { Array("\(name)-\($0)\n".utf8) }
}

@Suite struct `Source reader` {
  @Test func `a file is counted and hashed as it lies there`() throws {
    let seen = try read("abc")
    #expect(seen.summary.bytes == 3 && seen.summary.decompressedBytes == 3)
    // SHA-256 of "abc", FIPS 180-4.
    let expected: [UInt8] = [
      0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA, 0x41, 0x41, 0x40, 0xDE, 0x5D, 0xAE, 0x22,
      0x23, 0xB0, 0x03, 0x61, 0xA3, 0x96, 0x17, 0x7A, 0x9C, 0xB4, 0x10, 0xFF, 0x61, 0xF2, 0x00,
      0x15, 0xAD,
    ]
    #expect(seen.summary.sha256 == expected)
    #expect(seen.progress == 3)
    #expect(try read("").summary.sha256?.prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
  }

  @Test func `hashes beside the reading are the same, also of lines longer than a batch`() throws {
    let scratch = try Scratch()
    let long = [UInt8](repeating: 0x61, count: 100_000) + [0x0A]
    let content = lines("line", 0..<20_000) + long + lines("more", 0..<5_000) + long + long
    for (name, bytes) in [
      ("plain", content), ("packed", try zstd([content, content])),
      ("members", try gzip([content])),
    ] {
      let source = LogSource(name: name, origin: .file(path: try scratch.write(name, bytes)))
      let seen = AuditLogTests.read(source, lineLimit: 50_000, hashesBeside: true)
      let known = AuditLogTests.read(source, lineLimit: 50_000)
      #expect(seen.summary == known.summary && seen.summary.sha256 != nil)
      #expect(seen.lines == known.lines)
    }
  }

  // MARK: What cannot be read

  @Test func `a source that cannot be read says why, and has no lines (detection.R63)`() throws {
    let scratch = try Scratch()
    for origin in [
      LogSource.Origin.file(path: scratch.path + "/missing"), .file(path: scratch.path),
      .unreadable("no file matches it"),
    ] {
      let seen = read(LogSource(name: "x", origin: origin))
      #expect(seen.lines.isEmpty)
      #expect(seen.damages.map(\.kind) == [.unreadable])
      #expect(seen.damages.allSatisfy { $0.detail.hasPrefix("The input cannot be read: ") })
      #expect(seen.summary.damage == .unreadable && seen.summary.sha256 == nil)
    }
    let missing = read(LogSource(name: "x", origin: .file(path: scratch.path + "/missing")))
    #expect(missing.damages.first?.detail == "The input cannot be read: no such file or directory.")
  }

  @Test func `a duplicate is not read again`() {
    let seen = read(LogSource(name: "x", origin: .duplicate(of: 0)))
    #expect(seen.lines.isEmpty && seen.damages.isEmpty && seen.summary == SourceSummary())
  }

  @Test func `reading stops when it is told to`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("log", lines("a", 0..<100_000))
    let seen = read(
      LogSource(name: "x", origin: .file(path: path)), batchBytes: 1000, batches: 3)
    #expect(!seen.lines.isEmpty && seen.lines.count < 1000)
  }

  // MARK: Damage

  // detection.R61.
  @Test(arguments: [64, 100, 4096, 1 << 18])
  func `a cut zstd stream cuts its last line and loses no other`(_ batchBytes: Int) throws {
    // Without entropy to spare: every block is cut somewhere within a line.
    var random = Generator(1)
    let content = (0..<2000).flatMap { index in
      Array("\(index)-\(random.next())-\(random.next())\n".utf8)
    }
    let first = Array(content.prefix(content.count / 2))
    let packed = try zstd([first, Array(content.dropFirst(first.count))])
    for length in [packed.count - 1, packed.count - 4, packed.count - 200, packed.count * 3 / 4] {
      let seen = try read(Array(packed.prefix(length)), batchBytes: batchBytes)
      #expect(seen.summary.damage == .truncated)
      #expect(seen.damages.count == 1)
      let all = String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
      let whole = seen.lines.filter { $0.state == .whole }
      #expect(whole.map(\.string) == Array(all.prefix(whole.count)))
      if let last = seen.lines.last, last.state == .cut {
        #expect(all[Int(last.number) - 1].hasPrefix(last.string))
        #expect(seen.lines.count == whole.count + 1)
        #expect(
          seen.damages.first?.detail.hasSuffix("line \(last.number) is cut.") == true
            || seen.damages.first?.detail.contains("unproven") == true)
      }
      #expect(
        seen.summary.decompressedBytes == seen.lines.reduce(0) { $0 + UInt64($1.text.count) + 1 }
          - (seen.lines.last?.state == .cut ? 1 : 0))
    }
  }

  // records.R8; reports.R23.
  @Test(arguments: [64, 100, 4096], [false, true])
  func `lines never join across damage`(_ batchBytes: Int, _ isGzip: Bool) throws {
    // The first frame ends inside a line, and its checksum fails; the next begins inside one.
    let (first, second) = (Array("one\ntwo\nthr".utf8), Array("ee\nfour\n".utf8))
    let parts = try isGzip ? [gzip([first]), gzip([second])] : [zstd([first]), zstd([second])]
    var broken = parts[0]
    broken[broken.count - (isGzip ? 6 : 1)] ^= 1
    let seen = try read(broken + parts[1], batchBytes: batchBytes)
    #expect(seen.texts == ["one", "two", "thr", "ee", "four"])
    #expect(seen.lines.map(\.state) == [.whole, .whole, .cut, .whole, .whole])
    #expect(seen.lines.map(\.number) == [1, 2, 3, 4, 5])
    #expect(seen.lines.map(\.offset) == [0, 4, 8, 11, 14])
    #expect(seen.damages.map(\.kind) == [.corrupt])
    #expect(seen.damages.first?.byteOffset == UInt64(broken.count))
    #expect(seen.damages.first?.detail.hasSuffix("; lines 1 to 3 are unproven.") == true)
    // Whole, the same frames are one text.
    #expect(try read(parts[0] + parts[1]).texts == ["one", "two", "three", "four"])
    guard isGzip else { return }
    let cut = try read(Array((parts[1] + parts[0]).dropLast(8)), batchBytes: batchBytes)
    #expect(cut.summary.damage == .truncated)
    #expect(cut.texts.prefix(2) == ["ee", "four"] && cut.lines.last?.state == .cut)
  }

  // records.R11.
  @Test(arguments: [64, 4096])
  func `a failed checksum names the lines of its frame only`(_ batchBytes: Int) throws {
    let frames = try (0..<5).map { try zstd([lines("f\($0)", 0..<100)]) }
    for bad in 0..<5 {
      var packed = frames
      packed[bad][packed[bad].count - 2] ^= 0x40
      let seen = try read(packed.flatMap(\.self), batchBytes: batchBytes)
      #expect(seen.lines.count == 500)
      #expect(seen.lines.allSatisfy { $0.state == .whole })
      #expect(seen.damages.map(\.kind) == [.corrupt])
      let detail = seen.damages.first?.detail ?? ""
      #expect(
        detail.hasSuffix("; lines \(bad * 100 + 1) to \(bad * 100 + 100) are unproven."),
        "\(detail)")
    }
  }

  @Test func `frames after bytes that are not a frame are found again (detection.R62)`() throws {
    let first = try zstd([lines("a", 0..<3)])
    let second = try zstd([lines("b", 0..<3)])
    let seen = try read(first + Array("garbage!".utf8) + second)
    #expect(seen.texts == ["a-0", "a-1", "a-2", "b-0", "b-1", "b-2"])
    #expect(seen.lines.allSatisfy { $0.state == .whole })
    #expect(seen.damages.map(\.kind) == [.corrupt])
    #expect(seen.damages.first?.byteOffset == UInt64(first.count))
    #expect(seen.damages.first?.detail.hasSuffix("; what follows line 3 is damaged.") == true)
  }

  @Test func `a window above the limit is unreadable and names the setting (records.R5)`() throws {
    var bytes: [UInt8] = []
    let encoder = try ZstdEncoder(windowLog: 21) { span in
      for index in span.indices { bytes.append(span[index]) }
    }
    try encoder.write(lines("a", 0..<400_000).span)
    try encoder.finish()
    let seen = try read(bytes, windowLimit: 1 << 20)
    #expect(seen.summary.damage == .unreadable)
    #expect(seen.damages.map(\.kind) == [.unreadable])
    #expect(seen.damages.first?.detail.contains("limits.zstdWindowBytes") == true)
    #expect(try read(bytes, windowLimit: 1 << 21).lines.count == 400_000)
  }

  @Test func `an overlong line that damage ends is one line`() throws {
    let long = [UInt8](repeating: 0x78, count: 5000)
    var broken = try zstd([Array("a\n".utf8) + long])
    broken[broken.count - 1] ^= 1
    let packed = broken + (try zstd([Array("b\n".utf8)]))
    for batchBytes in [64, 1 << 16] {
      let seen = try read(packed, batchBytes: batchBytes, lineLimit: 1000)
      #expect(seen.lines.map(\.state) == [.whole, .overlong, .whole])
      #expect(seen.lines.map(\.number) == [1, 2, 3])
      #expect(seen.lines.map(\.offset) == [0, 2, 5002])
      #expect(seen.damages.first?.detail.hasSuffix("; lines 1 to 2 are unproven.") == true)
    }
  }

  @Test func `of several damages the worst is the source's`() throws {
    var frame = try zstd([lines("a", 0..<3)])
    frame[frame.count - 1] ^= 1
    let seen = try read(frame + (try zstd([lines("b", 0..<300)])).dropLast(5))
    #expect(seen.damages.map(\.kind) == [.corrupt, .truncated])
    #expect(seen.summary.damage == .corrupt)
    #expect(StreamDamage.Kind.truncated < .corrupt && .corrupt < .unreadable)
  }

  @Test func `flipped bits change no line of a frame before them`() throws {
    var random = Generator(17)
    let frames = try (0..<6).map { try zstd([lines("f\($0)", 0..<40)]) }
    let bytes = frames.flatMap(\.self)
    let all = String(decoding: (0..<6).flatMap { lines("f\($0)", 0..<40) }, as: UTF8.self)
      .split(separator: "\n").map(String.init)
    for _ in 0..<300 {
      var broken = bytes
      // The first four bytes tell what the file is.
      let place = 4 + random.below(broken.count - 4)
      broken[place] ^= 1 << UInt8(random.below(8))
      var frame = 0
      var start = 0
      while start + frames[frame].count <= place {
        start += frames[frame].count
        frame += 1
      }
      let small = try read(broken, batchBytes: 64)
      #expect(small.texts.prefix(frame * 40) == all.prefix(frame * 40))
      #expect(!small.damages.isEmpty || small.texts == all)
      // Numbers and offsets go on without a hole.
      #expect(small.lines.map(\.number) == (0..<small.lines.count).map { UInt64($0 + 1) })
      let large = try read(broken, batchBytes: 1 << 16)
      #expect(small.lines == large.lines && small.damages == large.damages)
      #expect(small.summary == large.summary)
    }
  }
}
