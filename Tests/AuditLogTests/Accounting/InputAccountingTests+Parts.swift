import Compression
import Foundation
import TestSupport
import Testing

@testable import AuditLog

/// Files that so far hold nothing but a part of a known content, or seem to.
extension `Input accounting` {
  /// A line of more than all heads have, with which each log of a server begins.
  private static let banner = "{\"keys\":\"\(String(repeating: "k", count: 4_100))\"}\n"

  @Test(arguments: [50, 7]) func `a log that is written is read where it goes on otherwise`(
    _ shared: Int
  ) throws {
    let begun = Self.banner + records(0..<shared)
    _ = try nights.run([try scratch.write("a", begun + records(50..<200))])
    let path = try scratch.write("b", begun + records(300..<340))
    let night = try nights.run([path], now: milliseconds(Date()))
    #expect(night.origins == [.file(path: path)] && night.accounted.waits.isEmpty)
    #expect(night.lines.count == 1 + shared + 40)
  }

  @Test func `a copy of a known log that is being made waits`() throws {
    let whole = Self.banner + records(0..<400)
    _ = try nights.run([try scratch.write("a", whole)])
    for bytes in [4_110, 4_500, 9_000, whole.utf8.count / 2, whole.utf8.count - 1] {
      let path = try scratch.write("b", String(whole.prefix(bytes)))
      let night = try nights.run([path], now: milliseconds(Date()))
      #expect(night.origins == [.waiting] && night.lines.isEmpty, "\(bytes)")
    }
  }

  @Test func `a log that is cut off is read unless it is a part of a known one`() throws {
    _ = try nights.run([try scratch.write("a", Self.banner + records(0..<100))])
    let part = try zstd([Array((Self.banner + records(0..<60)).utf8)])
    let cut = try scratch.write("b.zst", Array(part.dropLast(2)))
    let night = try nights.run([cut])
    #expect(night.seen[0].damages.count == 1 && night.lines.filter { $0.state == .whole }.isEmpty)
    let other = try zstd([Array((Self.banner + records(200..<260)).utf8)])
    let path = try scratch.write("c.zst", Array(other.dropLast(2)))
    let next = try nights.run([path])
    #expect(next.seen[0].damages.count == 1)
    #expect(next.lines.filter { $0.state == .whole }.count >= 60)
  }

  @Test func `marks stand a sixteenth further from the front each`() throws {
    func content(_ text: String) throws -> ScannedContent {
      let scan = try ContentScan { _ in [] }
      try unsafe Array(text.utf8).withUnsafeBytes { try unsafe scan.take($0) }
      return try scan.finish(fileBytes: 0)
    }
    let text = records(0..<10_000)
    let marks = try content(text).contentMarks
    for (bytes, count) in [(4_351, 0), (4_352, 1), (4_623, 1), (4_624, 2), (1_000_000, 90)] {
      let part = try content(String(text.prefix(bytes))).contentMarks
      #expect(part == Array(marks.prefix(count)), "\(bytes): \(part.count)")
    }
    #expect(Set(marks).count == marks.count)
  }
}
