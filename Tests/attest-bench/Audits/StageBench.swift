import AppAttest
import AuditEngine
import AuditLog
import Basics
import Compression
import Foundation
import OpenSSL
import RowShuffle

/// Each stage alone, on one thread, over the forged logs.
struct StageBench {
  private let sources: [LogSource]

  init(folder: String) {
    sources = InputPlan.sources([folder + "/logs"], standardInputName: "-")
  }

  func measure(into table: inout BenchTable) throws {
    let lines = readAll { _ in }
    try measureDecompression(lines, into: &table)
    let parsed = measureParsing(into: &table)
    measureDecoding(parsed, into: &table)
    try measureShuffle(rows: Int(lines), into: &table)
  }

  /// Reads all sources and hands on the batches. Returns the number of lines.
  @discardableResult
  func readAll(_ body: @escaping (LineBatch) -> Void) -> UInt64 {
    let pool = BatchPool(batchBytes: 1 << 20)
    let reader = SourceReader(lineLimit: 4 << 20, windowLimit: 128 << 20, pool: pool)
    var lines: UInt64 = 0
    for (index, source) in sources.enumerated() {
      let output = SourceReader.Output(
        batch: { batch in
          batch.forEachLine(limit: 4 << 20) { _ in lines += 1 }
          body(batch)
          pool.giveBack(batch)
        }, damage: { _ in }, progress: { _ in }, mustStop: { false })
      _ = reader.read(source, index: UInt32(index), to: output)
    }
    return lines
  }

  private func measureDecompression(_ lines: UInt64, into table: inout BenchTable) throws {
    var spent: [StreamFormat: (nanoseconds: Int, bytes: Int)] = [:]
    var total = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { unsafe buffer.deallocate() }
    for source in sources {
      guard case .file(let path) = source.origin,
        let data = FileManager.default.contents(atPath: path)
      else { continue }
      var offset = 0
      let decoder = unsafe StreamDecoder(windowLimit: 128 << 20) { target in
        let count = min(target.count, data.count - offset)
        unsafe data.copyBytes(to: target, from: offset..<(offset + count))
        offset += count
        return count
      }
      let start = StageClock.now
      while unsafe try decoder.next(into: buffer) != .end {}
      let time = StageClock.now - start
      guard let format = decoder.format else { continue }
      let before = spent[format] ?? (0, 0)
      spent[format] = (before.nanoseconds + time, before.bytes + Int(decoder.decodedByteCount))
      total += Int(decoder.decodedByteCount)
    }
    let bytesPerLine = Double(total) / Double(lines)
    for (format, name) in [(StreamFormat.zstd, "decompress zstd"), (.gzip, "decompress gzip")] {
      guard let spent = spent[format], spent.bytes > 0 else { continue }
      table.add(
        name, nanoseconds: Double(spent.nanoseconds) / Double(spent.bytes) * bytesPerLine)
    }
    let start = StageClock.now
    readAll { _ in }
    table.add(
      "read all: decompress, cut, hash", nanoseconds: Double(StageClock.now - start) / Double(lines)
    )
  }

  /// The parts of a record that decoding needs.
  private struct Parsed {
    var token: [UInt8]
    var clientData: [UInt8]
  }

  private func measureParsing(into table: inout BenchTable) -> [Parsed] {
    let reader = RecordReader(isAppAttestObject: AppAttestSniffer.isAppAttestObject)
    var buffer = ByteBuffer()
    var spent = 0
    var lines = 0
    var parsed: [Parsed] = []
    readAll { batch in
      let start = StageClock.now
      var kept: [(Range<Int>, Range<Int>)] = []
      batch.forEachLine(limit: 4 << 20) { line in
        guard line.state == .whole else { return }
        lines += 1
        guard case .record(let record) = unsafe reader.read(line.text, into: &buffer) else {
          return
        }
        if kept.isEmpty, record.kind == .assertion, let data = record.clientData {
          kept = [(record.token, data)]
          parsed.append(
            Parsed(
              token: Array(buffer.storage[record.token]), clientData: Array(buffer.storage[data])))
        }
      }
      spent += StageClock.now - start
    }
    table.add("parse: JSON, base64, fields", nanoseconds: Double(spent) / Double(lines))
    return parsed
  }

  private func measureDecoding(_ records: [Parsed], into table: inout BenchTable) {
    let rounds = max(1, 200_000 / max(records.count, 1))
    var decoded = 0
    var counters: UInt64 = 0
    let start = StageClock.now
    for _ in 0..<rounds {
      for record in records {
        guard let assertion = try? Assertion.parse(record.token.span) else { continue }
        decoded += 1
        counters &+= UInt64(assertion.counter)
      }
    }
    table.add("decode: CBOR", nanoseconds: Double(StageClock.now - start) / Double(max(decoded, 1)))
    precondition(counters > 0, "no assertion was decoded")
    measureHashing(records, rounds, into: &table)
  }

  private func measureHashing(_ records: [Parsed], _ rounds: Int, into table: inout BenchTable) {
    var hashed = 0
    var seen = Set<Digest256>()
    let start = StageClock.now
    for _ in 0..<rounds {
      for record in records {
        let hash = Digest256.sha256(record.clientData.span)
        let nonce = hash.withSpan { Digest256.sha256(record.token.span.extracting(first: 37), $0) }
        let digest = Assertion.digest(nonce: nonce)
        hashed += 1
        if hashed & 0xFFFF == 0 { seen.insert(digest) }
      }
    }
    table.add(
      "hash: SHA-256, three times", nanoseconds: Double(StageClock.now - start) / Double(hashed))
  }

  /// Measures rows of the usual size with random keys, sorted in memory and spilled.
  private func measureShuffle(rows: Int, into table: inout BenchTable) throws {
    let folder = FileManager.default.temporaryDirectory.path
    for (name, memory) in [("shuffle, in memory", 1 << 30), ("shuffle, spilled", 16 << 20)] {
      let start = StageClock.now
      let sorter = RowSorter(
        RowSorter.Settings(
          keyLength: 57, writers: 1, memory: memory, space: SpillSpace(folder: folder)))
      var random = SplitMix64(state: 1)
      var row = [UInt64](repeating: 0, count: 34)
      for _ in 0..<rows {
        for index in 0..<8 { row[index] = random.next() }
        try unsafe row.withUnsafeBytes { unsafe try sorter.writer(0).append($0) }
      }
      let merged = try sorter.merged()
      var count = 0
      while unsafe try merged.next() != nil { count += 1 }
      precondition(count == rows, "the shuffle has lost rows")
      table.add(name, nanoseconds: Double(StageClock.now - start) / Double(rows))
    }
  }
}
