internal import AppAttest
internal import AuditEngine
internal import Glibc
internal import OpenSSL

/// One file of a report while it is written: a fixed buffer in front of a descriptor, hashed on the
/// way; closed when it goes.
struct OutputFile: ~Copyable {
  /// Bytes collected before they are written.
  static let bufferBytes = 256 << 10

  let name: String
  private let descriptor: Int32
  private let cancellation: ReportCancellation
  private var hash = SHA256Stream()
  private var size: UInt64 = 0
  /// The rows not yet written; call ``flushIfFull()`` after each.
  var rows = RowBuffer(capacity: OutputFile.bufferBytes + (16 << 10))

  /// Takes over `descriptor`, which is open for writing.
  init(name: String, descriptor: Int32, cancellation: ReportCancellation) {
    self.name = name
    self.descriptor = descriptor
    self.cancellation = cancellation
  }

  deinit {
    close(descriptor)
  }

  /// Writes the buffer once it is full.
  @inline(__always)
  mutating func flushIfFull() throws(ReportError) {
    if rows.count >= Self.bufferBytes { try flush() }
  }

  /// Writes what the buffer holds.
  mutating func flush() throws(ReportError) {
    var full = RowBuffer()
    swap(&full, &rows)
    try write(full.bytes.span)
    full.removeAll()
    swap(&full, &rows)
  }

  /// Writes bytes past the buffer, which has to be empty.
  mutating func write(_ bytes: Span<UInt8>) throws(ReportError) {
    if cancellation.isCancelled { throw .abandonedError }
    unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
    var done = 0
    while done < bytes.count {
      FaultPoint.step()
      let written = unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe Glibc.write(
          descriptor, buffer.baseAddress.unsafelyUnwrapped + done, buffer.count - done)
      }
      if written < 0 {
        if errno == EINTR { continue }
        throw .system("cannot write", name)
      }
      done += written
    }
    size += UInt64(bytes.count)
  }

  /// Writes what is left, sends it to the disk, and says what the manifest has to know.
  consuming func finish() throws(ReportError) -> ManifestEntry { try end() }

  /// Does what ``finish()`` does for a file that its owner closes; nothing is written behind it.
  mutating func end() throws(ReportError) -> ManifestEntry {
    try flush()
    guard FolderTree.flush(descriptor) else { throw .system("cannot flush", name) }
    guard let digest = Digest256(hash.digest()) else {
      throw ReportError(.cannotWrite(EIO), "cannot hash \(name)")
    }
    return ManifestEntry(name: name, size: size, sha256: digest)
  }
}
