import Compression
import Foundation
import TestSupport
import Testing

@testable import AuditLog

/// Files that have grown since a run read them.
extension `Input accounting` {
  @Test func `a file that has grown is read from where it ended`() throws {
    let path = try scratch.write("a", records(0..<100))
    let first = try nights.run([path])
    try scratch.write("a", records(0..<130))
    let second = try nights.run([path])
    let whole = try read(records(0..<130))
    #expect(second.lines == Array(whole.lines[100...]))
    #expect(second.starts == [first.seen[0].summary.decompressedBytes])
    #expect(
      second.notices == [
        "\(path) begins with what was read before, and is read from where that ended"
      ])
    #expect(second.accounted.fresh.map(\.input.source) == [1])
    #expect(second.accounted.fresh.map(\.input.lines) == [130])
    #expect(second.seen[0].summary.bytes == whole.summary.bytes)
    #expect(second.seen[0].summary.sha256 == whole.summary.sha256)
  }

  @Test func `it may have been renamed and compressed meanwhile`() throws {
    let path = try scratch.write("a", records(0..<100))
    _ = try nights.run([path])
    let packed = try scratch.write("a.1.gz", gzip([Array(records(0..<130).utf8)]))
    let night = try nights.run([packed])
    #expect(night.lines == Array(try read(records(0..<130)).lines[100...]))
    let again = try scratch.write("a.2.zst", zstd([Array(records(0..<131).utf8)]))
    #expect(try nights.run([again]).lines.map(\.number) == [131])
  }

  @Test func `a short file that grows is known wherever it lies`() throws {
    let path = try scratch.write("a", "one\n")
    _ = try nights.run([path])
    try scratch.write("a", "one\ntwo\n")
    #expect(try nights.run([path]).texts == ["two"])
    // Appended to and renamed.
    let moved = scratch.path + "/b"
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data("three\n".utf8))
    try file.close()
    try FileManager.default.moveItem(atPath: path, toPath: moved)
    #expect(try nights.run([moved]).texts == ["three"])
    // The same few bytes somewhere else are the same.
    let other = try scratch.write("c.gz", gzip([Array("one\ntwo\nmore\n".utf8)]))
    #expect(try nights.run([other]).texts == ["more"])
    #expect(try nights.run([try scratch.write("d", "one\nelse\n")]).texts == ["else"])
  }

  @Test func `a file whose beginning has changed is new`() throws {
    let path = try scratch.write("a", records(0..<100))
    _ = try nights.run([path])
    for text in [
      records(1..<101) + records(0..<10), records(0..<99),
      records(0..<98) + "{}\n" + records(0..<9),
    ] {
      try scratch.write("a", text)
      #expect(try Nights().run([path]).starts == [0])
      #expect(try nights.run([path]).starts == [0])
    }
  }

  @Test func `of several beginnings the longest counts`() throws {
    let path = scratch.path + "/a"
    for count in [50, 60, 100, 101] {
      try scratch.write("a", records(0..<count))
      _ = try nights.run([path])
    }
    let other = try scratch.write("b", records(0..<100) + records(500..<510))
    let night = try nights.run([other])
    #expect(night.lines.map(\.number) == (101...110).map { UInt64($0) })
    let recognised = try nights.recognise([try scratch.write("c", records(0..<105))])
    #expect(recognised.numbers == [0, 1, 2, 3])
  }
}
