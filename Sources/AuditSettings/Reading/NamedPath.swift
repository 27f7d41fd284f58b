import Basics
import Files

/// A path and the place that named it: a flag, or a line of a pipeline file.
package struct NamedPath: Sendable, Equatable {
  package var path: String
  /// The origin of the path, such as `--keys` or `nightly.yaml:12`.
  package var origin: String

  package init(path: String, origin: String) {
    self.path = path
    self.origin = origin
  }

  /// The beginning of messages: the origin and a colon, or empty if the origin equals the path.
  package var prefix: String { origin == path ? "" : "\(origin): " }

  /// Returns the bytes of the file, at most `limit`. Throws an error of `status` otherwise.
  package func read(limit: Int, status: ExitStatus = .invalidFile) throws(CommandError) -> [UInt8] {
    let file = try ByteSource(self, status: status)
    var bytes: [UInt8] = []
    while case let piece = try file.next(), !piece.isEmpty {
      bytes += piece
      try CommandError.require(
        bytes.count <= limit, "\(prefix)\(path) is larger than \(SizeText.text(limit))",
        status: status)
    }
    return bytes
  }
}

/// A file that is read piece by piece. It is closed when the value is destroyed.
package struct ByteSource: ~Copyable {
  private static let pieceBytes = 256 << 10

  private let name: NamedPath
  private let status: ExitStatus
  private let file: OpenFile

  /// Opens the file. `-` is standard input.
  package init(_ name: NamedPath, status: ExitStatus) throws(CommandError) {
    self.name = name
    self.status = status
    do throws(AuditError) { file = try OpenFile(reading: name.path) } catch {
      throw CommandError(
        status, name.prefix + error.context, hint: NearestName.hint(path: name.path))
    }
  }

  package func next() throws(CommandError) -> [UInt8] {
    do throws(AuditError) { return try file.readNext(limit: Self.pieceBytes) } catch {
      throw CommandError(status, name.prefix + error.context)
    }
  }
}
