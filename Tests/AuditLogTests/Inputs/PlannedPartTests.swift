import Basics
import Compression
import Foundation
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Planned part` {
  private let scratch = made { try Scratch() }

  private func sums(of bytes: [UInt8]) -> [UInt8] {
    var sums = StreamSums()
    unsafe bytes.withUnsafeBytes { unsafe sums.add($0) }
    return sums.bytes
  }

  /// Reads a part of a file; what is planned is true unless it is changed.
  private func read(
    _ bytes: [UInt8], batchBytes: Int = 64, lineLimit: Int = 1 << 20,
    _ change: (inout PlannedPart) -> Void = { _ in }
  ) throws -> SeenSource {
    let path = try scratch.write("log", bytes)
    var part = PlannedPart(fileBytes: UInt64(bytes.count), sums: sums(of: bytes))
    change(&part)
    return AuditLogTests.read(
      LogSource(name: "log", origin: .file(path: path), part: part), batchBytes: batchBytes,
      lineLimit: lineLimit)
  }

  @Test(arguments: [1, 3, 64, 4096])
  func `lines that were read before are passed over, and blank ones stay blank`(_ batchBytes: Int)
    throws
  {
    let text = "one\n\n\(String(repeating: "x", count: 300))\nfour\nfive\nsix"
    for packed in [Array(text.utf8), try zstd([Array(text.utf8)])] {
      let seen = try read(packed, batchBytes: batchBytes, lineLimit: 200) {
        $0.passed = [2..<5, 6..<7]
      }
      #expect(seen.lines.map(\.state) == [.whole, .blank, .passed, .passed, .whole, .passed])
      #expect(seen.lines.map(\.number) == Array(1...6))
    }
  }

  @Test func `a file that is still being written is read to its last whole line`() throws {
    let text = Array("one\ntwo\nthr".utf8)
    let cut = try zstd([Array("one\ntwo\n".utf8)]) + (try zstd([Array("three".utf8)])).dropLast(6)
    for (bytes, lines) in [
      (text, ["one", "two"]), (Array(cut), ["one", "two"]), (Array("one".utf8), []),
    ] {
      for batchBytes in [2, 64] {
        let seen = try read(bytes, batchBytes: batchBytes) { $0.isOpen = true }
        #expect(seen.texts == lines && seen.damages.isEmpty && seen.summary.damage == nil)
      }
    }
    let overlong = Array("one\n\(String(repeating: "x", count: 900))".utf8)
    #expect(try read(overlong, lineLimit: 100) { $0.isOpen = true }.texts == ["one"])
  }

  @Test func `what is not what was planned has changed`() throws {
    for change in [
      { $0.sums[31] ^= 1 }, { $0.fileBytes -= 1 }, { $0.fileBytes += 1 }, { $0.fileBytes = 0 },
      { $0.fileBytes = .max },
    ] as [(inout PlannedPart) -> Void] {
      for bytes in [Array("one\ntwo\n".utf8), try gzip([Array("one\ntwo\n".utf8)])] {
        #expect(try read(bytes, change).summary.hasChanged)
      }
    }
  }

  @Test func `a file that has grown meanwhile is read as it was`() throws {
    let bytes = Array("one\ntwo".utf8)
    let path = try scratch.write("log", bytes)
    let part = PlannedPart(fileBytes: UInt64(bytes.count), sums: sums(of: bytes))
    try scratch.write("log", bytes + Array("\nmore\n".utf8))
    let source = LogSource(name: "log", origin: .file(path: path), part: part)
    let seen = AuditLogTests.read(source)
    #expect(seen.texts == ["one", "two"] && !seen.summary.hasChanged)
    try FileManager.default.removeItem(atPath: path)
    let gone = AuditLogTests.read(source)
    #expect(gone.summary.hasChanged && gone.lines.isEmpty)
  }
}
