internal import Glibc

/// An open file or standard input, read from front to back.
package struct RawInput: ~Copyable {
  private let descriptor: Int32
  private let isOwned: Bool

  /// Opens the file at a path, and waits for nobody who would write to it. Gives nil, with the
  /// reason in `errno`, if that fails.
  package init?(path: String) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    isOwned = true
  }

  /// Opens a file that was found before, and no other in its place; where none was, whatever lies at
  /// the path: a FIFO waits for its writer.
  package init(path: String, found: FileIdentity?) throws(ReadFailure) {
    descriptor = try Self.open(path, found)
    isOwned = true
  }

  /// Opens a file that was planned before, and nothing else in its place.
  package init(path: String, planned: PlannedFile) throws(ReadFailure) {
    let links = planned.isLink ? 0 : O_NOFOLLOW
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | links)
    guard descriptor >= 0 else { throw ReadFailure(number: errno == ELOOP ? nil : errno) }
    guard planned.isMet(by: FileStatus(descriptor: descriptor)) else {
      close(descriptor)
      throw ReadFailure(number: nil)
    }
    self.descriptor = descriptor
    isOwned = true
  }

  private static func open(_ path: String, _ found: FileIdentity?) throws(ReadFailure) -> Int32 {
    let wait = found == nil ? 0 : O_NONBLOCK
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | wait)
    guard descriptor >= 0 else { throw ReadFailure(number: errno) }
    guard let found, FileStatus(descriptor: descriptor)?.identity != found else {
      return descriptor
    }
    close(descriptor)
    throw ReadFailure(number: nil)
  }

  /// Makes the input of standard input.
  package init() {
    descriptor = STDIN_FILENO
    isOwned = false
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Reads some bytes.
  ///
  /// - Returns: The number of bytes, 0 at the end, or -1 on an error, with the reason in `errno`.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Goes back to the first byte. Returns false if the input cannot.
  package func rewind() -> Bool { lseek(descriptor, 0, SEEK_SET) == 0 }

  /// The facts about the file, or nil, with the reason in `errno`, if the system does not tell.
  package var status: FileStatus? { FileStatus(descriptor: descriptor) }
}
