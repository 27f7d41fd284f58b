internal import Compression
internal import Files
internal import Glibc
internal import OpenSSL

/// A scanner that looks through files one after another, by the same decoder as ``SourceReader``:
/// what it plans is what will be read. Each thread has its own. It holds a decoder and a piece of
/// its output.
@safe final class ContentScanner {
  /// The outcome of looking through a file.
  enum Outcome: Sendable {
    case content(ScannedContent, FileStamp)
    /// A file that was written to while it was looked through: it has grown.
    case grown
    /// A file that was changed otherwise while it was looked through.
    case changed(FileStamp)
    /// The reason for which it cannot be read, as one clause of English.
    case unreadable(String)
    /// The run is to stop.
    case stopped
  }

  private static let pieceBytes = 256 << 10

  private let windowLimit: Int
  private let progress: (Int) -> Void
  private let mustStop: () -> Bool
  private var decoder: StreamDecoder?
  /// A piece of the decoder's output: the same one for all files, so that no file leaves a hole in the heap.
  private let piece = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ContentScanner.pieceBytes, alignment: 64)
  private let makeReader: () -> RecordReader
  private let lineLimit: Int
  /// What tells the kinds of lines whose digests are asked for.
  private lazy var kinds = LineKinds(reader: makeReader(), lineLimit: lineLimit)

  init(
    windowLimit: Int, lineLimit: Int, reader: @escaping () -> RecordReader,
    progress: @escaping (Int) -> Void, mustStop: @escaping () -> Bool
  ) {
    self.windowLimit = windowLimit
    self.lineLimit = lineLimit
    makeReader = reader
    self.progress = progress
    self.mustStop = mustStop
  }

  deinit { unsafe piece.deallocate() }

  /// Looks through a file; `beginnings` is ``InputLedger/beginnings(head:stamp:)``, and `marks`
  /// ``InputLedger/marks(of:)``. A file that a frame makes unreadable with these settings is
  /// unreadable as a whole. `isOpen` is true if the file is still being written, and may grow meanwhile.
  ///
  /// - Throws: The ledger's errors.
  func scan(
    _ path: String, isOpen: Bool = false,
    marks: @escaping (UInt32) throws -> [UInt64] = { _ in [] },
    beginnings: @escaping ([UInt8]?, FileStamp) throws -> [AccountedInput]
  ) throws -> Outcome {
    var scan: ContentScan?
    let pass = try pass(path) { event, stamp in
      switch event {
      case .start:
        scan = try ContentScan(isOpen: isOpen, marks: marks) { try beginnings($0, stamp) }
      case .bytes(let bytes): unsafe try scan?.take(bytes)
      case .damage(let damage, let start): scan?.damage(damage, inContentFrom: start)
      }
      return true
    }
    switch pass {
    case .failure(let failed): return failed.outcome
    case .success(let read):
      guard let scan else { return .stopped }
      if read.stamp != read.now {
        guard read.hasGrown else { return .changed(read.now ?? read.stamp) }
        guard isOpen else { return .grown }
      }
      return .content(try scan.finish(fileBytes: read.byteCount), read.stamp)
    }
  }

  /// Returns the SHA-256 of the longest head of a file's content, at most
  /// ``AccountedInput/headBytes``, or nil if it has none or cannot be read.
  func longestHead(_ path: String) throws -> [UInt8]? {
    var longest: [UInt8]?
    var next = 1
    var hash = SHA256Stream()
    var count = 0
    _ = try pass(path) { event, _ in
      guard case .bytes(let bytes) = event else { return true }
      var at = 0
      while at < bytes.count, count < AccountedInput.headBytes {
        let more = min(next - count, bytes.count - at)
        unsafe hash.update(UnsafeRawBufferPointer(rebasing: bytes[at..<(at + more)]))
        at += more
        count += more
        guard count == next else { continue }
        longest = hash.digest()
        next *= 2
      }
      return count < AccountedInput.headBytes
    }
    return longest
  }

  /// Calls `take` with the digest of each line of a file, where it stands, and whether damage cut it
  /// (``LineDigests``), as far as the file can be read, and up to `limit`.
  func lines(
    _ path: String, upTo limit: UInt64,
    _ take: @escaping (_ digest: UInt64, Range<UInt64>, _ isCut: Bool) -> Void
  ) throws {
    var digests = LineDigests(kinds: kinds) { digest, range, isCut in
      if range.upperBound <= limit { take(digest, range, isCut) }
    }
    _ = try pass(path) { event, _ in
      switch event {
      case .bytes(let bytes): unsafe digests.take(bytes)
      case .damage: digests.cut()
      case .start: break
      }
      return true
    }
    digests.finish()
  }

  // MARK: Passing through a file

  /// An event of a pass.
  @safe private enum Event {
    case start
    case bytes(UnsafeRawBufferPointer)
    /// Damage, and where the content of the frame or member began that it hit, or of the last one before it.
    case damage(StreamDamage, contentStart: UInt64)
  }

  /// The facts about a pass that reached its end.
  private struct Read {
    var stamp: FileStamp
    /// The file at the path afterwards, or nil if none is.
    var now: FileStamp?
    var byteCount: UInt64

    /// True where the same file has become longer.
    var hasGrown: Bool {
      guard let now else { return false }
      return now.device == stamp.device && now.inode == stamp.inode && now.size > stamp.size
        && byteCount == stamp.size
    }
  }

  private struct Failed: Error {
    var outcome: Outcome
  }

  /// Reads the bytes of a file as it is opened, until `body` has enough.
  private func pass(
    _ path: String, _ body: (Event, FileStamp) throws -> Bool
  ) throws -> Result<Read, Failed> {
    guard let file = RawInput(path: path) else {
      return .failure(Failed(outcome: .unreadable(ErrorText.describe(errno))))
    }
    guard let stamp = file.stamp(path: path) else {
      return .failure(
        Failed(outcome: .unreadable("it is no regular file, and cannot be accounted for")))
    }
    let raw = CountedInput(file, limit: stamp.size, isHashed: false, progress: progress)
    let decoder = unsafe start { unsafe try raw.read(into: $0) }
    var goesOn = try body(.start, stamp)
    while goesOn {
      if mustStop() { return .failure(Failed(outcome: .stopped)) }
      let event: DecodeEvent
      do {
        event = try unsafe decoder.next(into: piece)
      } catch let error as ReadFailure {
        return .failure(Failed(outcome: .unreadable(error.text)))
      } catch let error as CompressionError {
        return .failure(Failed(outcome: .unreadable(error.context)))
      }
      switch event {
      case .bytes(let count):
        goesOn = try unsafe body(
          .bytes(UnsafeRawBufferPointer(rebasing: piece[..<count])), stamp)
      case .damage(let damage):
        if damage.kind == .unreadable {
          return .failure(Failed(outcome: .unreadable(damage.detail)))
        }
        goesOn = try body(.damage(damage, contentStart: decoder.contentStart), stamp)
      case .end: goesOn = false
      }
    }
    // The path may lead to another file by now, and the file may have been written to.
    let now = FileStamp(path: path)
    let opened = raw.stamp(path: path)
    let isAtPath = opened?.device == now?.device && opened?.inode == now?.inode
    return .success(Read(stamp: stamp, now: isAtPath ? now : nil, byteCount: raw.byteCount))
  }

  private func start(
    read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) -> StreamDecoder {
    if let decoder {
      unsafe decoder.reset(read: read)
      return decoder
    }
    let made = unsafe StreamDecoder(windowLimit: windowLimit, read: read)
    decoder = made
    return made
  }
}
