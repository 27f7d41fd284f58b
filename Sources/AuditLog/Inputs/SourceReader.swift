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
}

/// A change of a file while it was read.
package enum SourceChange: Sendable {
  /// Bytes were added behind those that were read.
  case grown
  /// Bytes that were read are others now.
  case rewritten
  /// The bytes that were read are as they were, and another file lies at the path now, or none.
  case replaced
}

/// The outcome of reading one source.
package struct SourceSummary: Sendable, Equatable {
  package var bytes: UInt64 = 0
  package var decompressedBytes: UInt64 = 0
  /// SHA-256 of the bytes as they lie there, 32 bytes, or nil if they could not all be read.
  package var sha256: [UInt8]?
  /// SHA-256 of the decompressed content, 32 bytes; of planned parts only.
  package var contentSHA256: [UInt8]?
  /// True where a planned part is not what was planned: the file changed meanwhile.
  package var hasChanged = false
  /// The change of a file without a plan while it was read, or nil if nothing that matters changed.
  package var change: SourceChange?
  /// True where it could not be opened because the process has no descriptor left.
  package var lacksDescriptors = false
  /// The worst that happened to the stream, where something did.
  package var damage: StreamDamage.Kind?

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
    /// A closure that returns whether to stop reading.
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

  /// Makes a reader. `lineLimit` and `windowLimit` are `limits.lineBytes` and
  /// `limits.zstdWindowBytes`.
  package init(lineLimit: Int, windowLimit: Int, pool: BatchPool) {
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
      return read(RawInput(), source.part, index: index, to: output).summary
    case .file(let path):
      do throws(ReadFailure) {
        let input =
          if let planned = source.planned {
            try RawInput(path: path, planned: planned)
          } else {
            try RawInput(path: path, found: source.found)
          }
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

  /// Reads a file that nobody has looked through before, and sees whether it stayed as it was.
  /// `size` is the size that it had when it was found, or 0 if that is not known.
  private func readWhole(
    _ input: consuming RawInput, _ path: String, _ index: UInt32, _ output: Output, size: UInt64
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
    output.damage(
      SourceDamage(
        kind: .unreadable, byteOffset: offset, detail: "The input cannot be read: \(why)."))
    var summary = summary
    summary.sha256 = nil
    summary.damage = .unreadable
    return summary
  }

  private func read(
    _ input: consuming RawInput, _ part: PlannedPart?, index: UInt32, to output: Output
  ) -> (summary: SourceSummary, raw: CountedInput) {
    let raw = CountedInput(
      input, limit: part?.fileBytes, isHashed: true, progress: output.progress)
    let start = part?.from ?? 0
    let known = part?.passed ?? []
    var cutter = LineCutter(
      source: index, lineLimit: lineLimit, pool: pool, start: start,
      emit: known.isEmpty
        ? output.batch
        : { batch in
          batch.passed = known
          output.batch(batch)
        })
    let decoder = unsafe StreamDecoder(windowLimit: windowLimit) { unsafe try raw.read(into: $0) }
    var summary = SourceSummary()
    var lines = ContentLines()
    let check = part.map { PartCheck($0) }
    var failure: String?
    var passed = 0
    do {
      reading: while !output.mustStop() {
        let offset = cutter.byteCount
        let line = cutter.currentLine
        let room = unsafe cutter.room
        switch unsafe try decoder.next(into: room) {
        case .bytes(let count):
          output.frame?(decoder.frameStart, decoder.contentStart)
          unsafe lines.note(
            decoder.contentStart, offset: offset, line: line, UnsafeRawBufferPointer(room))
          let taken = part?.taken(of: count, at: offset) ?? count
          let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: room[..<taken])
          unsafe check?.take(UnsafeRawBufferPointer(bytes))
          unsafe part?.blank(bytes, at: offset, &passed)
          cutter.take(taken)
          if check?.isTooLong == true || part?.isEnd(cutter.byteCount) == true { break reading }
        case .damage(let damage):
          if cutter.byteCount >= start {
            let described = lines.describe(damage, cutter)
            output.damage(described)
            summary.damage = max(summary.damage ?? described.kind, described.kind)
          }
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
    if failure == nil, part?.isOpen == true { failure = Self.drain(raw, output) }
    if failure != nil { cutter.cut() }
    summary.decompressedBytes = cutter.byteCount
    cutter.finish()
    summary.bytes = raw.byteCount
    summary.sha256 = raw.digest()
    if let check {
      summary.contentSHA256 = check.digest()
      summary.hasChanged =
        failure != nil || !check.isMet || raw.byteCount != part?.fileBytes
    }
    if let failure { return (unreadable(failure, at: raw.byteCount, output, summary), raw) }
    return (summary, raw)
  }
}

extension SourceReader {
  /// Reads the rest of what was planned of a file, for its size and digest.
  ///
  /// - Returns: The reason for which it could not be read, or nil if it was read.
  private static func drain(_ raw: CountedInput, _ output: Output) -> String? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
    defer { unsafe buffer.deallocate() }
    do {
      while !output.mustStop(), try unsafe raw.read(into: buffer) > 0 {}
    } catch let error as ReadFailure {
      return error.text
    } catch {
      return "\(error)"
    }
    return nil
  }
}

extension PlannedPart {
  /// Returns how many of `count` bytes at `offset` are read: of a file that is still being written,
  /// those up to the end of its last whole line.
  fileprivate func taken(of count: Int, at offset: UInt64) -> Int {
    guard isOpen else { return count }
    return Int(min(UInt64(count), to > offset ? to - offset : 0))
  }

  /// Returns whether nothing is read from an offset on.
  fileprivate func isEnd(_ offset: UInt64) -> Bool { isOpen && offset >= to }

  /// Makes lines that were read before blank; `next` is the first range that may concern what comes.
  fileprivate func blank(
    _ bytes: UnsafeMutableRawBufferPointer, at offset: UInt64, _ next: inout Int
  ) {
    let end = offset + UInt64(bytes.count)
    while next < passed.count, passed[next].lowerBound < end {
      let range = passed[next].clamped(to: offset..<end)
      if !range.isEmpty {
        for index in Int(range.lowerBound - offset)..<Int(range.upperBound - offset)
        where unsafe bytes[index] != 0x0A {
          unsafe bytes[index] = 0x20
        }
      }
      if passed[next].upperBound > end { return }
      next += 1
    }
  }
}

/// A check whether what is read is what was planned.
private final class PartCheck {
  private let part: PlannedPart
  private var hash = SHA256Stream()
  private var byteCount: UInt64 = 0

  init(_ part: PlannedPart) {
    self.part = part
  }

  func take(_ bytes: UnsafeRawBufferPointer) {
    unsafe hash.update(bytes)
    byteCount += UInt64(bytes.count)
  }

  /// True where there is more than was planned.
  var isTooLong: Bool { byteCount > part.to }

  /// True where the whole of it has come, and nothing else.
  var isMet: Bool { byteCount == part.to && digest() == part.sha256 }

  func digest() -> [UInt8] { hash.digest() }
}
