internal import AppAttest

/// The file `verdicts.csv.zst`: one row for every record, in the columns of ``EventColumns``.
enum VerdictsCSV {
  static let name = "verdicts.csv.zst"

  /// The kind of the rows of `events.csv.zst` that assign a key or an event to a device.
  static let deviceKind = "device"
}

/// The file `events.csv.zst`: the verdicts in order of key and time. Its frames hold whole rows, so
/// that each can be read without the others.
enum EventsCSV {
  static let name = "events.csv.zst"
  /// The largest number of bytes of rows in a frame, without the last row.
  static let frameBytes = 1 << 20
}

/// The file `events.index`: CSV with a row for each frame of `events.csv.zst`, except for that of the header.
enum EventsIndex {
  static let name = "events.index"

  /// The place of a frame, and the first and the last key of its events. Events without a key come first.
  struct Frame: Sendable {
    var offset: UInt64 = 0
    var size: UInt64 = 0
    var firstKey: Digest256?
    var lastKey: Digest256?

    /// Returns whether the frame can have events of a key.
    func mayHold(_ key: Digest256) -> Bool {
      (firstKey.map { !(key < $0) } ?? true) && (lastKey.map { !($0 < key) } ?? false)
    }
  }

  static let columns = Columns<Frame>([
    Column.number("offset", "the offset of the frame", \.offset).required,
    Column.number("size", "its length", \.size).required,
    .hex("first_key", "the first key in it", \.firstKey),
    .hex("last_key", "the last key in it", \.lastKey),
  ])
}
