import AuditLog
import Glibc

/// A path and the place that named it: a flag, or a line of a pipeline file.
package struct NamedPath: Sendable, Equatable {
  package var path: String
  /// `--keys`, or `nightly.yaml:12`.
  package var origin: String

  package init(path: String, origin: String) {
    self.path = path
    self.origin = origin
  }

  /// What messages begin with: the origin, unless the path alone says it.
  package var prefix: String { origin == path ? "" : "\(origin): " }

  /// The bytes of the file, at most `limit`; anything else is an error of `status`.
  package func read(limit: Int, status: ExitStatus = .invalidFile) throws(CommandError) -> [UInt8] {
    var file = try ByteSource(self, status: status)
    var bytes: [UInt8] = []
    while try file.read(into: &bytes) {
      guard bytes.count <= limit else {
        throw CommandError(status, "\(prefix)\(path) is larger than \(SizeText.text(limit))")
      }
    }
    return bytes
  }
}

/// A file that is read piece by piece; closed when it goes.
package struct ByteSource: ~Copyable {
  private static let pieceBytes = 256 << 10

  private let name: NamedPath
  private let status: ExitStatus
  private let descriptor: Int32

  /// Opens the file; `-` is standard input.
  package init(_ name: NamedPath, status: ExitStatus) throws(CommandError) {
    self.name = name
    self.status = status
    descriptor = name.path == "-" ? dup(STDIN_FILENO) : unsafe open(name.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(name, status, errno) }
  }

  deinit {
    close(descriptor)
  }

  /// Appends the next bytes; false at the end.
  package mutating func read(into bytes: inout [UInt8]) throws(CommandError) -> Bool {
    var number: Int32 = 0
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
      var result = 0
      repeat {
        result = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      } while result < 0 && errno == EINTR
      if result < 0 { number = errno }
      count = max(0, result)
    }
    guard number == 0 else { throw Self.failure(name, status, number) }
    bytes += piece
    return !piece.isEmpty
  }

  private static func failure(
    _ name: NamedPath, _ status: ExitStatus, _ number: Int32
  ) -> CommandError {
    CommandError(
      status, "\(name.prefix)cannot read \(name.path): \(ErrorText.describe(number))")
  }
}
