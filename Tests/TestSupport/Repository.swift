package import Foundation

/// The folders that tests read from.
package enum Repository {
  /// The folder of the package.
  package static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The path of `folder`.
  package static let root = folder.path

  /// The folder of vectors and pages outside the repository: `shared` beside the package, or the
  /// one that `ATTEST_AUDIT_SHARED` names. Tests that need it are skipped if it is absent.
  package static let shared =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_SHARED"].map { URL(filePath: $0) }
    ?? folder.deletingLastPathComponent().appending(path: "shared")

  /// The genuine vectors.
  package static let vectors = shared.appending(path: "vectors")

  /// Returns the text of a file of the package.
  package static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appending(path: path)), as: UTF8.self)
  }
}
