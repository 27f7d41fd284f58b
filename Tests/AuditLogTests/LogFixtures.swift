import Compression
import Foundation
import Synchronization
import TestSupport

@testable import AuditLog

/// A line as a worker sees it.
struct SeenLine: Equatable, CustomStringConvertible {
  var number: UInt64
  var offset: UInt64
  var state: LogLine.State
  var text: [UInt8]
  /// Of an overlong line the text may be more or less than its head.
  var head: [UInt8]

  var string: String { String(decoding: text, as: UTF8.self) }

  var description: String { "\(number)@\(offset) \(state) \(string.prefix(40)) (\(text.count))" }
}

/// The lines, damages and totals read from one source.
struct SeenSource {
  var lines: [SeenLine] = []
  var damages: [SourceDamage] = []
  var summary = SourceSummary()
  var progress = 0

  var texts: [String] { lines.map(\.string) }
}

/// Reads a source with the pool and limits given.
func read(
  _ source: LogSource, index: UInt32 = 0, batchBytes: Int = 4096, lineLimit: Int = 1 << 20,
  windowLimit: Int = 128 << 20, batches: Int = .max, hashesBeside: Bool = false
) -> SeenSource {
  var seen = SeenSource()
  var count = 0
  let pool = BatchPool(batchBytes: batchBytes)
  let reader = SourceReader(
    lineLimit: lineLimit, windowLimit: windowLimit, pool: pool, hashesBeside: { hashesBeside })
  let summary = reader.read(
    source, index: index,
    to: SourceReader.Output(
      batch: { batch in
        count += 1
        precondition(batch.source == index)
        batch.forEachLine(limit: lineLimit) { line in
          let text = unsafe Array(line.text)
          seen.lines.append(
            SeenLine(
              number: line.number, offset: line.byteOffset, state: line.state,
              text: line.state == .overlong ? [] : text, head: line.head))
        }
        pool.giveBack(batch)
      },
      damage: { seen.damages.append($0) }, progress: { seen.progress += $0 },
      mustStop: { count >= batches }))
  seen.summary = summary
  return seen
}

/// Reads bytes as a file.
func read(
  _ bytes: [UInt8], batchBytes: Int = 4096, lineLimit: Int = 1 << 20,
  windowLimit: Int = 128 << 20
) throws -> SeenSource {
  let scratch = try Scratch()
  let path = try scratch.write("log", bytes)
  return read(
    LogSource(name: "log", origin: .file(path: path)), batchBytes: batchBytes,
    lineLimit: lineLimit, windowLimit: windowLimit)
}

func read(_ text: String, batchBytes: Int = 4096, lineLimit: Int = 1 << 20) throws -> SeenSource {
  try read(Array(text.utf8), batchBytes: batchBytes, lineLimit: lineLimit)
}

/// Returns one zstd frame for each text.
func zstd(_ contents: [[UInt8]], checksum: Bool = true) throws -> [UInt8] {
  Packed.zstd(frames: contents, checksum: checksum)
}

/// Returns one gzip member for each text.
func gzip(_ contents: [[UInt8]], level: Int = 6) throws -> [UInt8] {
  Packed.gzip(members: contents, level: level)
}
