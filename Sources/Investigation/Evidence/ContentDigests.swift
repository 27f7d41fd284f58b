internal import AppAttest
internal import AuditEngine
internal import Compression
internal import Files
internal import OpenSSL

/// The SHA-256 of the beginnings of a file, of its bytes as they are stored and decompressed.
struct ContentDigests {
  /// Bytes from the first one on: how many there are, and their digests up to some lengths.
  private struct Beginnings {
    var count: UInt64 = 0
    var digests: [UInt64: Digest256] = [:]
  }

  private var parts: [Beginnings] = []

  /// Reads a regular file: digests up to each of the ascending `lengths`, in bytes.
  init(path: String, lengths: [UInt64], windowLimit: Int) {
    guard let stored = Self.open(path) else { return }
    unsafe parts.append(
      Self.beginnings(lengths) { buffer in
        try unsafe stored.readNext(into: buffer)
      })
    guard Self.format(path) != .plain, let stored = Self.open(path) else { return }
    let decoder = unsafe StreamDecoder(windowLimit: windowLimit) { buffer in
      try unsafe stored.readNext(into: buffer)
    }
    unsafe parts.append(
      Self.beginnings(lengths) { buffer in
        // Beyond damage the content is another one.
        guard case .bytes(let count) = try unsafe decoder.next(into: buffer) else { return 0 }
        return count
      })
  }

  /// Returns whether a file is an input of a report, the same or grown since, or nil.
  func state(of input: InputRow) -> Explanation.InputState? {
    guard let sha256 = input.sha256 else { return nil }
    return parts.first { $0.digests[input.bytes] == sha256 }.map {
      $0.count == input.bytes ? .same : .grown
    }
  }

  static func format(_ path: String) -> StreamFormat {
    let head = (try? OpenFile(reading: path).bytes(limit: StreamFormat.headByteCount)) ?? []
    return StreamFormat.detect(head.span)
  }

  private static func open(_ path: String) -> OpenFile? {
    // A FIFO would wait for its writer.
    guard FileStatus(path: path)?.kind == .file else { return nil }
    return try? OpenFile(reading: path)
  }

  /// Digests what `next` puts into a buffer, until it returns 0 or the longest length is exceeded.
  private static func beginnings(
    _ lengths: [UInt64], _ next: (UnsafeMutableRawBufferPointer) throws -> Int
  ) -> Beginnings {
    var found = Beginnings()
    var hash = SHA256Stream()
    var left = lengths[...]
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      while left.first == found.count {
        left.removeFirst()
        found.digests[found.count] = Digest256(hash.digest())
      }
      guard !left.isEmpty || found.count == lengths.last else { return found }
      let room = Int(min(UInt64(buffer.count), (left.first ?? .max) - found.count))
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe (try? next(UnsafeMutableRawBufferPointer(rebasing: bytes[..<room]))) ?? 0
      }
      guard count > 0 else { return found }
      unsafe buffer.withUnsafeBytes { bytes in
        unsafe hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      found.count += UInt64(count)
    }
  }
}
