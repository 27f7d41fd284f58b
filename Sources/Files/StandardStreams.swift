internal import Glibc

/// The three streams that every process begins with.
package enum StandardStreams {
  /// Keeps files from becoming a standard stream that was closed, where messages would be written
  /// into them. What is in for it is open the wrong way round: using it is an error all the same.
  package static func fillClosed() {
    for (stream, flags) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ]
    where fcntl(stream, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", flags)
    }
  }
}
