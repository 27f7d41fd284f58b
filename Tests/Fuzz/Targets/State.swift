import AppAttest
import Files
import Glibc
import RowShuffle
import TestSupport

@testable import AuditEngine
@testable import AuditState

extension FuzzTarget {
  /// The kept rows of events, hashes and keys. Bytes that no run wrote are refused. Rows that are
  /// read are written as they were.
  static let stateRows = FuzzTarget(
    "state-rows", limit: 2048, mutations: 6000,
    seeds: {
      let high = KeptKey.High(time: 5, counter: 7, position: Position(source: 1, line: 2))
      var snapshot = KeySnapshot()
      snapshot.counters.highs = [high]
      snapshot.counters.seen = [1...4, 7...7]
      let events = try FuzzSeeds.segment(.events).dropFirst(4100)
      let hashes = try FuzzSeeds.segment(.hashes).dropFirst(4096)
      return [
        [0] + events.prefix(500), [1] + hashes.prefix(KeptRecord.byteCount), [2] + snapshot.packed,
        [3] + snapshot.counters.packed,
        [4] + (try FuzzSeeds.segment(.hashes)).prefix(88),
      ]
    },
    prepare: {
      let scratch = try Scratch()
      let texts = TextStore(folder: scratch.path)
      return { bytes in
        let rest = Array(bytes.dropFirst())
        switch (bytes.first ?? 0) % 5 {
        case 0: readRow(rest, texts)
        case 1:
          var record = rest + [UInt8](repeating: 0, count: KeptRecord.byteCount)
          record.removeSubrange(KeptRecord.byteCount...)
          guard let kept = try? withRow(record, { try unsafe KeptRecord($0) }) else { return }
          let again = try withRow(kept.packed) { try unsafe KeptRecord($0) }
          require(again == kept, "another record")
        case 2:
          guard let snapshot = KeySnapshot(packed: rest) else { return }
          require(KeySnapshot(packed: snapshot.packed) == snapshot, "another snapshot")
        case 3:
          guard let counters = CounterPast(packed: rest) else { return }
          require(CounterPast(packed: counters.packed) == counters, "other counters")
        default:
          var header = rest.prefix(88) + []
          header += [UInt8](repeating: 0, count: SegmentHeader.byteCount - header.count)
          guard let read = SegmentHeader(Array(header)) else { return }
          require(read.bytes == Array(header), "another header")
          _ = read.fileBytes
        }
      }
    })

  /// Segments of a state whose blocks hold anything, under checksums that are right: they are read to
  /// their end or refused.
  static let segment = FuzzTarget(
    "segment", limit: 4096, mutations: 100,
    seeds: {
      let hashes = try FuzzSeeds.segment(.hashes).dropFirst(4096)
      let events = try FuzzSeeds.segment(.events).dropFirst(4096)
      return [
        [0, 3, 0, 0, 0] + hashes.prefix(1024), [1, 2, 0, 0, 0] + events.prefix(2000),
        [1, 0, 1, 7, 2] + events.prefix(900),
      ]
    },
    prepare: {
      try FuzzedSegments().run
    })
}

private func readRow(_ bytes: [UInt8], _ texts: TextStore) {
  withRow(bytes) { bytes in
    _ = unsafe KeptRow.snapshot(bytes)
    guard let row = try? unsafe KeptRow(bytes) else { return }
    let builder = RowBuilder(texts: texts)
    row.write(ConfiguredApps([]), builder)
    let event = unsafe EventRow(builder.row)
    _ = (event.rest.subject.isAbsent, event.rest.tail)
  }
}

/// Segments in a folder.
private struct FuzzedSegments {
  private let scratch: Scratch
  private let folder: Folder

  init() throws {
    scratch = try Scratch()
    folder = Folder(path: scratch.path)
    for kind in ["hashes", "events"] { try scratch.makeFolder(kind) }
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
    try? segment.verify()
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
        ? rows * UInt64(KeptRecord.byteCount) : UInt64(payload.count),
      blockBytes: blockBytes, prefixBlockBytes: kind == .hashes ? blockBytes : 0,
      digest: [UInt8](repeating: 0, count: 32))
    if change.isChanged {
      // A header of which a byte is another one, and yet one that is read.
      var bytes = header.bytes
      bytes[24 + Int(change.place) % 32] = change.value
      guard let changed = SegmentHeader(bytes) else { return nil }
      header = changed
    }
    guard header.fileBytes < 1 << 20 else { return nil }
    var file = header.bytes
    var left = payload[...]
    for section in header.sections {
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
      sha256: Digest256.sha256(header.bytes.span).bytes, created: 0, latest: 0)
  }

  private func readHashes(_ segment: SegmentFile) {
    guard let reader = try? HashSegmentReader(segment) else { return }
    var last: UInt64 = 0
    while reader.head != .max, reader.head >= last {
      last = reader.head
      var group = [UInt8](repeating: 0, count: KeptRecord.groupLength)
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
