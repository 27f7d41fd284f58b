import Glibc

/// A file being written.
struct LogFile: ~Copyable {
  private let descriptor: Int32
  private let path: String

  /// Creates the file at `path`, or empties it.
  init(creating path: String) throws(ForgeError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw ForgeError(.file(errno), path) }
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Appends `bytes`.
  func write(_ bytes: [UInt8]) throws(ForgeError) {
    var offset = 0
    while offset < bytes.count {
      let written = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          descriptor, buffer.baseAddress.unsafelyUnwrapped + offset, buffer.count - offset)
      }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw ForgeError(.file(errno), path) }
      offset += written
    }
  }

  /// Writes a whole small file.
  static func write(_ text: String, to path: String) throws(ForgeError) {
    try LogFile(creating: path).write(Array(text.utf8))
  }

  /// Makes a folder; one that is there already will do only if `mayExist`.
  static func makeFolder(_ path: String, mayExist: Bool = false) throws(ForgeError) {
    guard unsafe mkdir(path, 0o755) == 0 || (mayExist && errno == EEXIST) else {
      throw ForgeError(.file(errno), path)
    }
  }
}
