import AppAttest
import RowShuffle
import TestSupport

@testable import AuditEngine
@testable import AuditState

/// The kept rows of events, hashes and keys. Bytes that no run wrote are refused. Rows that are
/// read are written as they were.
struct StateRowsTarget: FuzzTarget {
  static let name = "state-rows"
  static let limit = 2048

  private let texts: TextStore
  private let scratch: Scratch
  private let apps = ConfiguredApps([])

  init() throws {
    scratch = try Scratch()
    texts = TextStore(folder: scratch.path)
  }

  static func seeds() throws -> [[UInt8]] {
    let high = KeptKey.High(time: 5, counter: 7, position: Position(source: 1, line: 2))
    var snapshot = KeySnapshot()
    snapshot.counters.highs = [high]
    snapshot.counters.seen = [1...4, 7...7]
    let events = try FuzzSeeds.segment(.events).dropFirst(4100)
    let hashes = try FuzzSeeds.segment(.hashes).dropFirst(4096)
    return [
      [0] + events.prefix(500), [1] + hashes.prefix(KeptRecord.byteCount), [2] + snapshot.bytes,
      [3] + CounterBytes.encode([high], stored: [high]), [4] + CounterBytes.encode([1...4, 9...9]),
      [5] + (try FuzzSeeds.segment(.hashes)).prefix(88),
    ]
  }

  func run(_ bytes: [UInt8]) throws {
    let rest = Array(bytes.dropFirst())
    switch (bytes.first ?? 0) % 6 {
    case 0: readRow(rest)
    case 1:
      var record = rest + [UInt8](repeating: 0, count: KeptRecord.byteCount)
      record.removeSubrange(KeptRecord.byteCount...)
      guard let kept = try? withRow(record, { try unsafe KeptRecord($0) }) else { return }
      var again = [UInt8](repeating: 0xEE, count: KeptRecord.byteCount)
      unsafe again.withUnsafeMutableBytes { unsafe kept.write(to: $0) }
      require(try withRow(again) { try unsafe KeptRecord($0) } == kept, "another record")
    case 2:
      guard let snapshot = try? KeySnapshot(bytes: rest) else { return }
      let again = try KeySnapshot(bytes: snapshot.bytes)
      require(again == snapshot, "another snapshot")
    case 3:
      guard let (highs, stored) = CounterBytes.highs(rest) else { return }
      let again = CounterBytes.highs(CounterBytes.encode(highs, stored: stored))
      require(again?.highs == highs && again?.stored == stored, "other counters")
    case 4:
      guard let seen = CounterBytes.seen(rest) else { return }
      require(CounterBytes.seen(CounterBytes.encode(seen)) == seen, "other ranges")
    default:
      var header = rest.prefix(88) + []
      header += [UInt8](repeating: 0, count: SegmentHeader.byteCount - header.count)
      guard let read = SegmentHeader(Array(header)) else { return }
      require(read.bytes == Array(header), "another header")
      _ = read.fileBytes
    }
  }

  private func readRow(_ bytes: [UInt8]) {
    withRow(bytes) { bytes in
      _ = unsafe KeptRow.snapshot(bytes)
      _ = unsafe KeptRow.waitsForDevice(bytes)
      guard let row = try? unsafe KeptRow(bytes) else { return }
      let builder = RowBuilder(texts: texts)
      row.write(apps, builder)
      let event = unsafe EventRow(builder.row)
      _ = (event.rest.subject.isAbsent, event.rest.tail)
    }
  }
}
