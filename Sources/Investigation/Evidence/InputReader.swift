package import AppAttest
package import AuditEngine
package import AuditLog
internal import AuditSettings
internal import Basics

/// A reader of single lines of inputs. It reads like the audit, including damage.
package struct InputReader: Sendable {
  private let lineLimit: Int
  private let windowLimit: Int

  /// The length of the longest line that is shown whole, in bytes.
  private static let longestLine = 256 << 20
  private static let batchBytes = 1 << 20

  package init(_ settings: AuditConfiguration) {
    lineLimit = settings.limits.lineBytes
    windowLimit = settings.limits.zstdWindowBytes
  }

  /// Reads a file to its end: the lines of these numbers, every damaged place, and its SHA-256.
  package func read(_ path: String, as source: String, lines wanted: Set<UInt64>) -> ReadInput {
    var read = ReadInput()
    let frames = FrameMap()
    let summary = forEachBatch(path) { batch in
      batch.forEachLine(limit: lineLimit) { line in
        guard wanted.contains(line.number) else { return }
        let frame = frames.frame(of: line.byteOffset)
        read.lines[line.number] = unsafe FoundLine(
          source: source, number: line.number, bytes: Array(line.text),
          state: line.state, byteOffset: line.byteOffset,
          frameOffset: frames.isCompressed ? frame.file : nil,
          frameContentOffset: frame.content, isHead: line.wholeSHA256 != nil)
      }
    } damage: { damage in
      read.damage.append(damage)
    } frame: { file, content in
      frames.note(file, content)
    }
    read.sha256 = summary.sha256.map { Hex.text($0) }
    return read
  }

  /// Calls `body` for every whole line of a file, in order, with the line and its number.
  func forEachLine(_ path: String, _ body: (UnsafeBufferPointer<UInt8>, UInt64) -> Void) {
    _ = forEachBatch(path) { batch in
      batch.forEachLine(limit: lineLimit) { line in
        if line.state == .whole { unsafe body(line.text, line.number) }
      }
    }
  }

  private func forEachBatch(
    _ path: String, _ body: (LineBatch) -> Void, damage: (SourceDamage) -> Void = { _ in },
    frame: @escaping (UInt64, UInt64) -> Void = { _, _ in }
  ) -> SourceSummary {
    let pool = BatchPool(batchBytes: Self.batchBytes)
    let reader = SourceReader(
      lineLimit: max(lineLimit, Self.longestLine), windowLimit: windowLimit, pool: pool)
    return withoutActuallyEscaping(body) { body in
      withoutActuallyEscaping(damage) { damage in
        reader.read(
          LogSource(name: path, origin: .file(path: path)), index: 0,
          to: SourceReader.Output(
            batch: { batch in
              body(batch)
              pool.giveBack(batch)
            }, damage: damage, progress: { _ in }, mustStop: { false }, frame: frame))
      }
    }
  }
}

/// The positions of the frames of a stream, in the order of their content.
private final class FrameMap {
  private var frames: [(file: UInt64, content: UInt64)] = []
  private(set) var isCompressed = false

  func note(_ file: UInt64, _ content: UInt64) {
    if file > 0 { isCompressed = true }
    if let last = frames.last {
      if last == (file, content) { return }
      if last.content == content { frames.removeLast() }
    }
    frames.append((file, content))
  }

  /// Returns the frame that holds a byte of the decompressed stream.
  func frame(of offset: UInt64) -> (file: UInt64, content: UInt64) {
    let next = frames.indices.searched { frames[$0].content <= offset }
    return next > 0 ? frames[next - 1] : (0, 0)
  }
}

/// A line of a log, found again.
package struct FoundLine: Sendable {
  package let source: String
  package let number: UInt64
  package let bytes: [UInt8]
  package let state: LogLine.State
  /// The offset of the first byte in the decompressed stream.
  package let byteOffset: UInt64
  /// The offset in the file of the frame that the line begins in, or nil for a plain file.
  package let frameOffset: UInt64?
  /// The offset of that frame's first byte in the decompressed stream.
  package let frameContentOffset: UInt64
  package let isHead: Bool

  package var sha256: Digest256 { .sha256(bytes.span) }
}

package struct ReadInput: Sendable {
  /// The SHA-256 in hex, or nil if the file could not be read to its end.
  package var sha256: String?
  package var lines: [UInt64: FoundLine] = [:]
  package var damage: [SourceDamage] = []
}
