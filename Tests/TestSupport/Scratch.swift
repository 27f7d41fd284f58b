package import Files
import Foundation

/// A folder whose files tests read.
package protocol TestFolder {
  var path: String { get }
}

extension TestFolder {
  package func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
  }

  package func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  /// Everything in the folder, hidden names included.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

/// A folder of its own for one test, removed with it.
package final class Scratch: Sendable, TestFolder {
  package let path: String

  package init() throws {
    path = NSTemporaryDirectory() + "attest-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file, and the folders above it, and returns its path.
  @discardableResult
  package func write(_ name: String, _ text: String) throws -> String {
    try write(name, Array(text.utf8))
  }

  /// Writes a file of bytes, and the folders above it, and returns its path.
  @discardableResult
  package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return "\(path)/\(name)"
  }

  /// Makes an empty folder.
  package func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(path)/\(name)", withIntermediateDirectories: true)
  }

  /// Makes a symbolic link to `target`, which need not exist.
  package func link(_ name: String, to target: String) throws {
    let place = URL(filePath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.path, withDestinationPath: target)
  }

  /// Returns the report in the folder of that name.
  package func report(_ name: String = "report") -> ReportFolder {
    ReportFolder(path: "\(path)/\(name)")
  }
}

/// Returns the error that `body` throws, if it is an audit's.
package func error(_ body: () throws -> Void) -> AuditError? {
  do { try body() } catch { return error as? AuditError }
  return nil
}
