import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Files

@Suite struct `Spill file` {
  @Test func `what is written at an offset is read there`() throws {
    let scratch = try Scratch()
    let file = SpillFile(folder: scratch.path)
    let pieces = [[1, 2, 3], [], [4], [UInt8](repeating: 5, count: 100_000)]
    let offsets = pieces.map { file.reserve($0.count) }
    #expect(offsets == [0, 3, 3, 4] && file.size == 100_004)
    for (piece, offset) in zip(pieces, offsets).reversed() {
      try withRow(piece) { unsafe try file.write($0, at: offset) }
    }
    for (piece, offset) in zip(pieces, offsets) {
      var read = [UInt8](repeating: 0, count: piece.count)
      try unsafe read.withUnsafeMutableBytes { unsafe try file.read(into: $0, at: offset) }
      #expect(read == piece)
    }
    #expect(try scratch.names.isEmpty)
  }

  @Test func `whole pages are given back, and no byte beside them`() throws {
    let scratch = try Scratch()
    let file = SpillFile(folder: scratch.path)
    let page = sysconf(Int32(_SC_PAGESIZE))
    let bytes = [UInt8](repeating: 7, count: 8 * page)
    try withRow(bytes) { unsafe try file.write($0, at: file.reserve(bytes.count)) }
    // No page of the first is whole, and none of the last.
    let ranges = [1..<page, 1..<(3 * page + 5), (3 * page)..<(4 * page), (5 * page)..<(5 * page)]
    for range in ranges { file.giveBack(range) }
    var read = bytes
    try unsafe read.withUnsafeMutableBytes { unsafe try file.read(into: $0, at: 0) }
    let given = page..<(4 * page)
    #expect(read.indices.allSatisfy { read[$0] == (given.contains($0) ? 0 : 7) })
    #expect(file.size == bytes.count)
  }

  @Test func `reading beyond the end is a failure`() throws {
    let scratch = try Scratch()
    let file = SpillFile(folder: scratch.path)
    try withRow([1, 2, 3]) { unsafe try file.write($0, at: 0) }
    var read = [UInt8](repeating: 0, count: 4)
    let error = #expect(throws: AuditError.self) {
      try unsafe read.withUnsafeMutableBytes { unsafe try file.read(into: $0, at: 0) }
    }
    #expect(error?.code == .temporaryStorage(EIO))
  }

  @Test func `many threads reserve places of their own`() {
    let file = SpillFile(folder: "/nowhere")
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<5000 { _ = file.reserve(3) }
    }
    #expect(file.size == 8 * 5000 * 3)
  }
}
