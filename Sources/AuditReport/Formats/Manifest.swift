internal import AppAttest

/// The entry of one file in `manifest.json`.
struct ManifestEntry: Equatable {
  var name: String
  var size: UInt64
  var sha256: Digest256
}

/// The file `manifest.json`: name, size and SHA-256 of every other file, in byte order of the
/// names.
enum Manifest {
  static let name = "manifest.json"

  static func write(_ entries: [ManifestEntry], to rows: inout RowBuffer) {
    let sorted = entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    JSONTree.object([
      (
        "files",
        .array(
          sorted.map {
            .object([
              ("name", .string($0.name)), ("size", .number($0.size)),
              ("sha256", .string($0.sha256.hex)),
            ])
          })
      )
    ]).write(to: &rows)
    rows.append(ascii: "\n")
  }
}
