internal import Files

/// An open file of the state, read and written at offsets; closed when it goes.
final class StateFile: Sendable {
  private let file: OpenFile

  init(_ file: OpenFile) {
    self.file = file
  }

  /// Its path in the state directory, for messages.
  var name: String { file.name }

  /// Returns the bytes in it.
  func size() throws(StateError) -> Int {
    try asStateError { () throws(FileError) in try file.size() }
  }

  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StateError) {
    try asStateError { () throws(FileError) in unsafe try file.write(bytes, at: offset) }
  }

  /// Writes all of an array at `offset`.
  func write(_ bytes: [UInt8], at offset: Int) throws(StateError) {
    unsafe try bytes.span.withUnsafeBytes { (bytes) throws(StateError) in
      unsafe try write(bytes, at: offset)
    }
  }

  /// Fills `buffer` with the bytes at `offset`, or throws `.damaged`.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StateError) {
    let count: Int
    do throws(FileError) { count = unsafe try file.read(into: buffer, at: offset) } catch {
      throw .damaged(name, ErrorText.describe(error.number))
    }
    guard count == buffer.count else { throw .damaged(name, "it ends too early") }
  }

  /// Returns the `count` bytes at `offset`, or throws `.damaged`.
  func bytes(at offset: Int = 0, count: Int) throws(StateError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    unsafe try span.withUnsafeMutableBytes { (buffer) throws(StateError) in
      unsafe try read(into: buffer, at: offset)
    }
    return bytes
  }

  /// Returns the whole content of a small file.
  func bytes(limit: Int) throws(StateError) -> [UInt8] {
    let size = try size()
    guard size <= limit else { throw .damaged(name, "it is too large") }
    return try bytes(count: size)
  }

  /// Sends what was written to the disk.
  func flush() throws(StateError) {
    try asStateError { () throws(FileError) in try file.flush() }
  }

  /// Tells the system that the file is read from front to back.
  func readsAhead() { file.readsAhead() }
}
