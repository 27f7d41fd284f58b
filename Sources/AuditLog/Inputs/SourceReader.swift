internal import Basics
package import Compression
internal import Files
internal import Glibc
internal import OpenSSL

/// A damaged place of a source, or why the source cannot be read at all.
package struct SourceDamage: Sendable, Equatable {
  package var kind: StreamDamage.Kind
  /// The offset in the file as it is stored.
  package var byteOffset: UInt64
  /// One English sentence, with the lines it concerns.
  package var detail: String
  /// The reason only, as one clause of English.
  var reason = ""
  /// The lines of the damaged frame or member, counted from 1. The damage follows the last one.
  var doubtful: Range<UInt64> = 1..<1
  /// Whether the damage ends the last of these lines before its end.
  var cutsLine = false
  /// Whether bytes are missing, not only a checksum wrong.
  var losesBytes = true

  package init(kind: StreamDamage.Kind, byteOffset: UInt64, detail: String) {
    self.kind = kind
    self.byteOffset = byteOffset
    self.detail = detail
  }

  package static func == (left: SourceDamage, right: SourceDamage) -> Bool {
    (left.kind, left.byteOffset, left.detail) == (right.kind, right.byteOffset, right.detail)
  }
}

package enum SourceChange: Sendable {
  case grown
  case rewritten
  /// The bytes that were read are as they were, and another file lies at the path now, or none.
  case replaced
}

package struct SourceSummary: Sendable, Equatable {
  package var bytes: UInt64 = 0
  package var decompressedBytes: UInt64 = 0
  /// SHA-256 of the bytes as they lie there, 32 bytes, or nil if they could not all be read.
  package var sha256: [UInt8]?
  /// ``StreamSums`` of these bytes, or nil if they are not compared.
  var sums: [UInt8]?
  /// Whether a planned part is not what was planned: the file changed meanwhile.
  package var hasChanged = false
  /// The change of a file without a plan while it was read, or nil if nothing that matters changed.
  package var change: SourceChange?
  package var lacksDescriptors = false
  /// The worst that happened to the stream, where something did.
  package var damage: StreamDamage.Kind?
  var isCompressed = false

  package init() {}
}

/// A reader of sources one after another. It opens and decompresses them, and cuts them into
/// batches of lines. Each reading thread has its own.
package final class SourceReader {
  /// The closures that take a reader's output, and that it asks.
  package struct Output {
    /// The receiver of batches, in order. It may block.
    package var batch: (LineBatch) -> Void
    package var damage: (SourceDamage) -> Void
    /// A closure that is told how many bytes of the file were read.
    package var progress: (Int) -> Void
    package var mustStop: () -> Bool
    /// A closure that is told where the bytes that follow come from, before they are handed on: the
    /// offset of the frame or member in the file, and that of its content in the decompressed
    /// stream, or nil if nobody asks.
    package var frame: ((_ fileOffset: UInt64, _ contentOffset: UInt64) -> Void)?

    package init(
      batch: @escaping (LineBatch) -> Void, damage: @escaping (SourceDamage) -> Void,
      progress: @escaping (Int) -> Void, mustStop: @escaping () -> Bool,
      frame: ((_ fileOffset: UInt64, _ contentOffset: UInt64) -> Void)? = nil
    ) {
      self.frame = frame
      self.batch = batch
      self.damage = damage
      self.progress = progress
      self.mustStop = mustStop
    }
  }

  private let lineLimit: Int
  private let windowLimit: Int
  private let pool: BatchPool
  private let search: LongLineSearch?
  private let hashesBeside: () -> Bool

  /// Makes a reader. `lineLimit` and `windowLimit` are `limits.lineBytes` and
  /// `limits.zstdWindowBytes`. With `tokenLength`, longer lines are searched for tokens. `hashesBeside`
  /// returns whether another thread hashes the bytes that were just read.
  package init(
    lineLimit: Int, windowLimit: Int, pool: BatchPool, tokenLength: TokenSearch.Test? = nil,
    hashesBeside: @escaping () -> Bool = { false }
  ) {
    self.hashesBeside = hashesBeside
    search = tokenLength.map(LongLineSearch.init)
    self.lineLimit = lineLimit
    self.windowLimit = windowLimit
    self.pool = pool
  }

  /// Reads a file or standard input to its end; `index` is its place in the run.
  package func read(_ source: LogSource, index: UInt32, to output: Output) -> SourceSummary {
    switch source.origin {
    case .duplicate, .known, .waiting:
      return SourceSummary()
    case .unreadable(let why):
      return unreadable(why, at: 0, output, SourceSummary())
    case .standardInput:
      return read(.standardInput, source.part, index: index, to: output).summary
    case .file(let path):
      do throws(ReadFailure) {
        let input = try source.open(path)
        guard let part = source.part else {
          return readWhole(input, path, index, output, size: source.size)
        }
        return read(input, part, index: index, to: output).summary
      } catch {
        var summary = SourceSummary()
        summary.hasChanged = source.part != nil
        summary.lacksDescriptors = error.lacksDescriptors
        return unreadable(error.text, at: 0, output, summary)
      }
    }
  }

  /// Reads a file without a plan, and checks that it stayed as it was. `size` is what was found, or 0.
  private func readWhole(
    _ input: OpenFile, _ path: String, _ index: UInt32, _ output: Output, size: UInt64
  ) -> SourceSummary {
    let before = input.stamp(path: path)
    var (summary, raw) = read(input, nil, index: index, to: output)
    guard let before, summary.sha256 != nil, !output.mustStop() else { return summary }
    let after = raw.stamp(path: path)
    let placed = FileStamp(path: path)
    let isShort = raw.isAtEnd && summary.bytes < max(before.size, size)
    guard after != before || placed != before || isShort else { return summary }
    if isShort || after.map({ $0.size < before.size }) ?? false {
      let damage = SourceDamage(
        kind: .truncated, byteOffset: summary.bytes,
        detail: size > before.size
          ? "The file was cut before it was read: it had \(size) bytes when it was found, of which "
            + "\(summary.bytes) could be read."
          : "The file was cut while it was read: it had \(before.size) bytes when it was "
            + "opened, of which \(summary.bytes) could be read.")
      output.damage(damage)
      summary.damage = max(summary.damage ?? damage.kind, damage.kind)
      return summary
    }
    let isThere = placed?.device == before.device && placed?.inode == before.inode
    let isSame = raw.isUnchanged(mustStop: output.mustStop)
    let isLonger = (after?.size ?? 0) > summary.bytes || summary.bytes > before.size
    if !isSame {
      summary.change = .rewritten
    } else if !isThere {
      summary.change = .replaced
    } else if isLonger {
      summary.change = .grown
    }
    return summary
  }

  private func unreadable(
    _ why: String, at offset: UInt64, _ output: Output, _ summary: SourceSummary
  ) -> SourceSummary {
    var damage = SourceDamage(
      kind: .unreadable, byteOffset: offset, detail: "The input cannot be read: \(why).")
    damage.reason = why
    output.damage(damage)
    var summary = summary
    (summary.sha256, summary.sums) = (nil, nil)
    summary.damage = .unreadable
    return summary
  }

  /// Reads an input, or a part of it. `isHashed` and `isSummed` say which digests the summary has; a part with sums
  /// is compared with them.
  func read(
    _ input: OpenFile, _ part: PlannedPart?, index: UInt32, isHashed: Bool = true,
    isSummed: Bool = false, to output: Output
  ) -> (summary: SourceSummary, raw: CountedInput) {
    let raw = CountedInput(
      input, limit: part?.fileBytes, isHashed: isHashed,
      isSummed: isSummed || part?.sums.isEmpty == false, hashesBeside: hashesBeside,
      progress: output.progress)
    let passed = part?.passed ?? []
    let isOpen = part?.isOpen == true
    var cutter = LineCutter(
      source: index, lineLimit: lineLimit, pool: pool, search: search,
      emit: passed.isEmpty
        ? output.batch
        : { batch in
          batch.passed = passed
          output.batch(batch)
        })
    let decoder = unsafe StreamDecoder(windowLimit: windowLimit) {
      unsafe try raw.read(into: $0, filling: cutter.batch)
    }
    var summary = SourceSummary()
    var lines = ContentLines()
    var failure: String?
    /// The last damage: only the next event tells whether bytes are missing after a wrong checksum.
    var held: SourceDamage?
    func release() {
      guard var damage = held else { return }
      held = nil
      damage.losesBytes = damage.losesBytes || decoder.isDamageContinued
      output.damage(damage)
    }
    do {
      reading: while !output.mustStop() {
        let offset = cutter.byteCount
        let line = cutter.currentLine
        let room = unsafe cutter.room
        let event = unsafe try decoder.next(into: room)
        release()
        switch event {
        case .bytes(let count):
          output.frame?(decoder.frameStart, decoder.contentStart)
          unsafe lines.note(
            decoder.contentStart, offset: offset, line: line, UnsafeRawBufferPointer(room))
          cutter.take(count)
        // The end of a file that is still being written will arrive.
        case .damage(let damage) where isOpen && damage.kind == .truncated: continue reading
        case .damage(let damage):
          let described = lines.describe(damage, cutter, contentStart: decoder.contentStart)
          held = described
          summary.damage = max(summary.damage ?? described.kind, described.kind)
          cutter.cut()
        case .end:
          break reading
        }
      }
    } catch let error as ReadFailure {
      failure = error.text
    } catch {
      failure = "\(error)"
    }
    release()
    if failure != nil { cutter.cut() }
    cutter.finish(leavesOpenLine: isOpen)
    summary.decompressedBytes = cutter.byteCount
    summary.isCompressed = decoder.format.map { $0 != .plain } ?? false
    summary.bytes = raw.byteCount
    summary.sha256 = isHashed ? raw.digest() : nil
    summary.sums = raw.sums?.bytes
    if let part, !part.sums.isEmpty {
      summary.hasChanged =
        failure != nil || raw.byteCount != part.fileBytes || summary.sums != part.sums
    }
    if let failure { return (unreadable(failure, at: raw.byteCount, output, summary), raw) }
    return (summary, raw)
  }
}
