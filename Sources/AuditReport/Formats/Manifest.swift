internal import AppAttest

/// The entry of one file in `manifest.json`.
struct ManifestEntry: Equatable {
  var name: String
  var size: UInt64
  var sha256: Digest256
}

/// The file `manifest.json`: name, size and SHA-256 of every other file, by name.
enum Manifest {
  static let name = "manifest.json"

  static func tree(_ entries: [ManifestEntry]) -> JSONTree {
    let sorted = entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let files = sorted.map { file -> JSONTree in
      [
        "name": .string(file.name), "size": .number(file.size), "sha256": .string(file.sha256.hex),
      ]
    }
    return .object([("files", .array(files))])
  }
}
