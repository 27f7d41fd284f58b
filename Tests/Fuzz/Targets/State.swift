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
    name: "state-rows", limit: 2048, mutations: 6000,
    seeds: {
      let high = KeptKey.High(time: 5, counter: 7, position: Position(source: 1, line: 2))
      var snapshot = KeySnapshot()
      snapshot.counters.highs = [high]
      snapshot.counters.seen = [1...4, 7...7]
      let events = try FuzzSeeds.segment(.events).dropFirst(SegmentBlock.byteCount + 4)
      let hashes = try FuzzSeeds.segment(.hashes).dropFirst(SegmentBlock.byteCount)
      return [
        [0] + events.prefix(500), [1] + hashes.prefix(KeptRecord.byteCount), [2] + snapshot.packed,
        [3] + snapshot.counters.packed,
      ]
    },
    prepare: {
      let scratch = try Scratch()
      let texts = TextStore(folder: scratch.path)
      return { bytes in
        let rest = Array(bytes.dropFirst())
        switch (bytes.first ?? 0) % 4 {
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
        default:
          guard let counters = CounterPast(packed: rest) else { return }
          require(CounterPast(packed: counters.packed) == counters, "other counters")
        }
      }
    })

  /// Segments of a state whose blocks hold anything, under checksums that are right: they are read to
  /// their end or refused.
  static let segment = FuzzTarget(
    name: "segment", limit: 4096, mutations: 100,
    seeds: {
      let hashes = try FuzzSeeds.segment(.hashes).dropFirst(SegmentBlock.byteCount)
      let events = try FuzzSeeds.segment(.events).dropFirst(SegmentBlock.byteCount)
      return [
        [0, 3] + hashes.prefix(1024), [1, 2] + events.prefix(2000), [1, 0] + events.prefix(900),
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
    for kind in SegmentKind.allCases { try scratch.makeFolder(kind.folder) }
  }

  func run(_ bytes: [UInt8]) throws {
    var input = FuzzBytes(bytes)
    let isOfHashes = input.once(in: 2)
    let rows = Int(input.byte())
    let payload = input.remainder()
    guard isOfHashes else {
      return readEvents(try write(.events, rows: rows, payload))
    }
    func segment(_ kind: SegmentKind) throws -> SegmentFile {
      let count = rows * (kind.rowBytes ?? 0)
      let zeros = [UInt8](repeating: 0, count: max(count - payload.count, 0))
      return try write(kind, rows: rows, payload.prefix(count) + zeros)
    }
    readHashes(try HashSegment(records: segment(.hashes), prefixes: segment(.prefixes)))
  }

  /// Writes a segment of blocks with this payload, all of whose sums are right, and opens it.
  private func write(
    _ kind: SegmentKind, rows: Int, _ payload: [UInt8]
  ) throws -> SegmentFile {
    let entry = SegmentEntry(kind: kind, rows: UInt64(rows), bytes: UInt64(payload.count))
    var file: [UInt8] = []
    var left = payload[...]
    for number in 0..<entry.blocks.upperBound {
      var block =
        number == 0 ? SegmentFile.header(entry) : Array(left.prefix(entry.payload(of: number)))
      if number > 0 { left = left.dropFirst(block.count) }
      block += [UInt8](repeating: 0, count: SegmentBlock.byteCount - block.count)
      _ = unsafe block.withUnsafeMutableBytes {
        unsafe SegmentBlock.seal($0, number: SegmentBlock.number(run: entry.run, number))
      }
      file += block
    }
    let path = kind.path(entry.run)
    try scratch.write(path, file)
    defer { unsafe unlink("\(scratch.path)/\(path)") }
    let segment = try SegmentFile(entry, in: folder)
    try? segment.verify()
    return segment
  }

  private func readHashes(_ segment: HashSegment) {
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
    guard let rows = try? RowMerger([EventSegmentReader(segment)], keyLength: 8) else { return }
    var count = 0
    while unsafe (try? rows.next()) != nil {
      count += 1
      require(count < 10_000, "a segment without an end")
    }
  }
}
