import Compression
import Files
import Foundation
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Planned part` {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Reads a part of a file; what is planned is true unless it is changed.
  private func read(
    _ bytes: [UInt8], from: UInt64, batchBytes: Int = 64, lineLimit: Int = 1 << 20,
    _ change: (inout PlannedPart) -> Void = { _ in }
  ) throws -> SeenSource {
    let path = try scratch.write("log", bytes)
    var part = try Self.part(path, from: from)
    change(&part)
    return AuditLogTests.read(
      LogSource(name: "log", origin: .file(path: path), part: part), batchBytes: batchBytes,
      lineLimit: lineLimit)
  }

  private static func part(_ path: String, from: UInt64) throws -> PlannedPart {
    let scanner = ContentScanner(
      windowLimit: 128 << 20, lineLimit: 4 << 20, reader: { RecordReader { _ in false } },
      progress: { _ in }, mustStop: { false })
    guard case .content(let content, _) = try scanner.scan(path, beginnings: { _, _ in [] }) else {
      throw CocoaError(.fileReadUnknown)
    }
    var part = content.part
    part.from = from
    return part
  }

  @Test(arguments: [1, 3, 64, 100, 4096])
  func `lines have the numbers and offsets of the whole`(_ batchBytes: Int) throws {
    let text =
      "\u{FEFF}one\ntwo\r\n\n\(String(repeating: "x", count: 300))\nfive\n\u{FEFF}six\nseven"
    let bytes = Array(text.utf8)
    for packed in [bytes, try zstd([bytes]), try gzip([bytes])] {
      let whole = try read(packed, from: 0, batchBytes: batchBytes)
      #expect(whole.texts.count == 7 && !whole.summary.hasChanged)
      #expect(whole.lines == (try AuditLogTests.read(packed)).lines)
      for line in whole.lines.dropFirst() {
        let rest = try read(packed, from: line.offset, batchBytes: batchBytes)
        #expect(rest.lines == whole.lines.filter { $0.offset >= line.offset })
        #expect(rest.summary == whole.summary && rest.progress == whole.progress)
      }
      #expect(try read(packed, from: UInt64(bytes.count), batchBytes: batchBytes).lines.isEmpty)
    }
  }

  @Test func `overlong lines in front are counted`() throws {
    let text = "a\n\(String(repeating: "x", count: 5000))\nb\n\(String(repeating: "y", count: 900))"
    let whole = try read(Array(text.utf8), from: 0, lineLimit: 300)
    for line in whole.lines.dropFirst() {
      let rest = try read(Array(text.utf8), from: line.offset, lineLimit: 300)
      #expect(rest.lines == whole.lines.filter { $0.offset >= line.offset })
    }
  }

  @Test(arguments: [1, 64, 4096])
  func `damage in front is counted and not told again`(_ batchBytes: Int) throws {
    var first = try zstd([Array("one\ntwo\nthr".utf8)])
    first[first.count - 1] ^= 1
    let packed = first + (try zstd([Array("ee\nfour\n".utf8)]))
    let whole = try read(packed, from: 0, batchBytes: batchBytes)
    #expect(whole.damages.count == 1 && whole.summary.damage == .corrupt)
    // From 11 on, where the damage stands, it is part of what is read.
    for (from, damages) in [(4, 1), (8, 1), (11, 1), (14, 0)] as [(UInt64, Int)] {
      let rest = try read(packed, from: from, batchBytes: batchBytes)
      #expect(rest.lines == whole.lines.filter { $0.offset >= from }, "\(from)")
      #expect(rest.damages == Array(whole.damages.prefix(damages)))
      #expect(rest.summary.damage == (damages > 0 ? .corrupt : nil))
      #expect(!rest.summary.hasChanged)
    }
  }

  @Test func `what is not what was planned has changed`() throws {
    let text = Array("one\ntwo\nthree\n".utf8)
    for (isPacked, change) in [
      (false, { $0.sha256[31] ^= 1 }), (false, { $0.to += 1 }), (false, { $0.to -= 1 }),
      (false, { $0.fileBytes -= 1 }), (true, { $0.fileBytes += 1 }), (true, { $0.fileBytes = 0 }),
      (false, { $0.fileBytes += 1 }), (true, { $0.fileBytes = .max }),
      (true, { $0.sha256 = [] }), (true, { $0.to = 0 }), (true, { $0.to = .max }),
    ] as [(Bool, (inout PlannedPart) -> Void)] {
      let bytes = isPacked ? try gzip([text]) : text
      let seen = try read(bytes, from: 4, change)
      #expect(seen.summary.hasChanged)
    }
  }

  @Test func `a file that has grown meanwhile is read as it was`() throws {
    for packed in [
      Array("one\ntwo".utf8), try zstd([Array("one\ntwo".utf8)]),
      try gzip([Array("one\ntwo".utf8)]),
    ] {
      let path = try scratch.write("log", packed)
      let part = try Self.part(path, from: 0)
      try scratch.write("log", packed + packed + Array("\nmore\n".utf8))
      let seen = AuditLogTests.read(LogSource(name: "log", origin: .file(path: path), part: part))
      #expect(seen.texts == ["one", "two"] && seen.damages.isEmpty && !seen.summary.hasChanged)
      #expect(seen.summary.bytes == UInt64(packed.count))
      try FileManager.default.removeItem(atPath: path)
      let gone = AuditLogTests.read(LogSource(name: "log", origin: .file(path: path), part: part))
      #expect(gone.summary.hasChanged && gone.lines.isEmpty)
    }
  }

  @Test func `without a plan nothing is hashed`() throws {
    let seen = try AuditLogTests.read("one\n")
    #expect(seen.summary.contentSHA256 == nil && !seen.summary.hasChanged)
  }
}
