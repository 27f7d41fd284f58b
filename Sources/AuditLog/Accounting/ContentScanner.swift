internal import Compression
internal import Glibc

/// Looks through files one after another, by the same decoder as ``SourceReader``: what it plans is
/// what will be read. One for each thread; it holds a decoder and a piece of its output.
final class ContentScanner {
  /// What became of a file.
  enum Outcome {
    case content(ScannedContent, FileStamp)
    /// It was changed while it was looked through.
    case changed(FileStamp)
    /// Why it cannot be read, as one clause of English.
    case unreadable(String)
    /// The run is to stop.
    case stopped
  }

  private static let pieceBytes = 256 << 10

  private let windowLimit: Int
  private let progress: (Int) -> Void
  private let mustStop: () -> Bool
  private var decoder: StreamDecoder?

  init(windowLimit: Int, progress: @escaping (Int) -> Void, mustStop: @escaping () -> Bool) {
    self.windowLimit = windowLimit
    self.progress = progress
    self.mustStop = mustStop
  }

  /// Looks through a file; `beginnings` is ``InputLedger/beginnings(head:stamp:)``. A file that a
  /// frame makes unreadable with these settings is unreadable as a whole.
  ///
  /// - Throws: What the ledger throws.
  func scan(
    _ path: String, beginnings: @escaping ([UInt8]?, FileStamp) throws -> [AccountedInput]
  ) throws -> Outcome {
    guard let file = RawInput(path: path) else {
      return .unreadable(ErrorText.describe(errno))
    }
    guard let stamp = file.stamp(path: path) else {
      return .unreadable("it is no regular file, and cannot be accounted for")
    }
    let raw = CountedInput(file, isHashed: false, progress: progress)
    var scan = try ContentScan { try beginnings($0, stamp) }
    let decoder = unsafe start { unsafe try raw.read(into: $0) }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 64)
    defer { unsafe piece.deallocate() }
    while true {
      if mustStop() { return .stopped }
      let event: DecodeEvent
      do {
        event = try unsafe decoder.next(into: piece)
      } catch let error as ReadFailure {
        return .unreadable(ErrorText.describe(error.number))
      } catch let error as CompressionError {
        return .unreadable(error.context)
      }
      switch event {
      case .bytes(let count):
        try unsafe scan.take(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      case .damage(let damage):
        if damage.kind == .unreadable { return .unreadable(damage.detail) }
        scan.damage()
      case .end:
        // The path may lead to another file by now, and the file may have been written to.
        let now = FileStamp(path: path)
        guard raw.stamp(path: path) == stamp, now == stamp else { return .changed(now ?? stamp) }
        return .content(scan.finish(fileBytes: raw.byteCount), stamp)
      }
    }
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
