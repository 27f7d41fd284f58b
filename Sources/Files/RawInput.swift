internal import Glibc

/// An open file or standard input, read from front to back.
package struct RawInput: ~Copyable {
  private let descriptor: Int32
  private let isOwned: Bool

  /// Opens a file; nil, with the reason in `errno`, where that fails.
  package init?(path: String) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    isOwned = true
  }

  /// Standard input.
  package init() {
    descriptor = STDIN_FILENO
    isOwned = false
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Reads some bytes; 0 at the end, -1 on an error, with the reason in `errno`.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// The facts about the file; nil, with the reason in `errno`, where the system does not tell.
  package var status: FileStatus? { FileStatus(descriptor: descriptor) }
}
