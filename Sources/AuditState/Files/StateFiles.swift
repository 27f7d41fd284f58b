internal import AuditLog
internal import Files
internal import Glibc

extension Folder {
  /// Gives a file that never changes a second name, or copies it where there are no links.
  func `repeat`(_ name: String, as other: String) throws(StateError) {
    do throws(StateError) { return try link(name, to: other) } catch {
      guard [EPERM, EOPNOTSUPP, EMLINK].contains(error.number), let file = try open(name) else {
        throw error
      }
      let (copy, size) = (try create(other), try file.size())
      for start in stride(from: 0, to: size, by: Self.pieceBytes) {
        try copy.write(
          file.bytes(at: start, count: min(Self.pieceBytes, size - start)), at: start)
      }
      try copy.flush()
    }
  }
  private static let pieceBytes = 1 << 20
}

// What cannot be read of a state is damage.
extension OpenFile {
  /// Fills `buffer` with the bytes at `offset`, or throws `.damaged`.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StateError) {
    let count: Int
    do throws(StateError) { count = unsafe try read(into: buffer, at: offset) } catch {
      throw .damaged(name, ErrorText.describe(error.number))
    }
    guard count == buffer.count else { throw .damaged(name, "it ends too early") }
  }

  /// Returns the `count` bytes at `offset`, or throws `.damaged`.
  func bytes(at offset: Int = 0, count: Int) throws(StateError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    unsafe try span.withUnsafeMutableBytes { (buffer) throws(StateError) in
      unsafe try fill(buffer, at: offset)
    }
    return bytes
  }
}
