import AuditEngine
import Glibc
import RowShuffle
import TestSupport

@testable import AuditState

/// Segments of a state whose blocks hold anything, under checksums that are right: they are read to
/// their end or refused.
struct SegmentTarget: FuzzTarget {
  static let name = "segment"
  static let limit = 4096

  private let scratch: Scratch
  private let folder: StateFolder

  init() throws {
    scratch = try Scratch()
    folder = StateFolder(path: scratch.path)
    for kind in ["hashes", "events"] { try scratch.makeFolder(kind) }
  }

  static func seeds() throws -> [[UInt8]] {
    let hashes = try FuzzSeeds.segment(.hashes).dropFirst(4096)
    let events = try FuzzSeeds.segment(.events).dropFirst(4096)
    return [
      [0, 3, 0, 0, 0] + hashes.prefix(1024), [1, 2, 0, 0, 0] + events.prefix(2000),
      [1, 0, 1, 7, 2] + events.prefix(900),
    ]
  }

  func run(_ bytes: [UInt8]) throws {
    var input = FuzzBytes(bytes)
    let kind = input.once(in: 2) ? SegmentKind.hashes : .events
    let rows = UInt64(input.byte())
    let header = (place: input.byte(), value: input.byte(), isChanged: input.once(in: 4))
    let path = "\(scratch.path)/\(kind.path(1))"
    let entry = try write(kind, rows: rows, header, payload: input.remainder())
    defer { unsafe unlink(path) }
    guard let entry, let segment = try? SegmentFile(entry, in: folder) else { return }
    try? SegmentCheck.check(entry, in: folder)
    switch kind {
    case .hashes: readHashes(segment)
    case .events: readEvents(segment)
    }
  }

  /// Writes a segment of blocks with this payload, all of whose checksums are right. Returns the
  /// database's entry for it, or nil if no header says that.
  private func write(
    _ kind: SegmentKind, rows: UInt64, _ change: (place: UInt8, value: UInt8, isChanged: Bool),
    payload: [UInt8]
  ) throws -> SegmentEntry? {
    let blockBytes = 4096
    var header = SegmentHeader(
      kind: kind, run: 1, rows: rows,
      payloadBytes: kind == .hashes
        ? rows * UInt64(HashSegment.recordBytes) : UInt64(payload.count),
      blockBytes: blockBytes, prefixBlockBytes: kind == .hashes ? blockBytes : 0,
      digest: [UInt8](repeating: 0, count: 32))
    if change.isChanged {
      // A header of which a byte is another one, and yet one that is read.
      var bytes = header.bytes
      bytes[24 + Int(change.place) % 32] = change.value
      guard let changed = SegmentHeader(bytes) else { return nil }
      header = changed
    }
    let sections = kind == .hashes ? [header.body, header.prefixes] : [header.body]
    guard header.fileBytes < 1 << 20 else { return nil }
    var file = header.bytes
    var left = payload[...]
    for section in sections {
      for index in 0..<section.blockCount {
        var block = Array(left.prefix(section.payload(of: index)))
        left = left.dropFirst(block.count)
        block += [UInt8](repeating: 0, count: section.blockBytes - block.count)
        let number = SegmentBlock.number(run: 1, index: section.firstBlock + index)
        _ = unsafe block.withUnsafeMutableBytes { unsafe SegmentBlock.seal($0, number: number) }
        file += block
      }
    }
    try scratch.write(kind.path(1), file)
    return SegmentEntry(
      kind: kind, run: 1, rows: header.rows, bytes: UInt64(file.count),
      sha256: SegmentHeader.sha256(header.bytes), created: 0, latest: 0)
  }

  private func readHashes(_ segment: SegmentFile) {
    guard let reader = try? HashSegmentReader(segment) else { return }
    var last: UInt64 = 0
    while reader.head != .max, reader.head >= last {
      last = reader.head
      var group = [UInt8](repeating: 0, count: HashSegment.groupBytes)
      for index in 0..<8 { group[index] = UInt8(truncatingIfNeeded: last >> (56 - 8 * index)) }
      do {
        while let record = try unsafe group.withUnsafeBytes({ try unsafe reader.next(of: $0) }) {
          _ = try? unsafe KeptRecord(record)
        }
        _ = try reader.seek(head: last, tail: .max)
      } catch { return }
      guard reader.head > last else { return }
    }
  }

  private func readEvents(_ segment: SegmentFile) {
    let reader = EventSegmentReader(segment)
    var held = unsafe reader.nothing
    var rounds = 0
    while let all = try? unsafe reader.read(behind: held), all.count > held.count {
      rounds += 1
      require(rounds < 1000, "a segment without an end")
      var at = 0
      while all.count - at >= 4 {
        let length = unsafe Int(all.loadUnaligned(fromByteOffset: at, as: UInt32.self))
        guard all.count - at - 4 >= length else { break }
        at += 4 + length
      }
      unsafe held = UnsafeRawBufferPointer(rebasing: all[at...])
    }
  }
}
