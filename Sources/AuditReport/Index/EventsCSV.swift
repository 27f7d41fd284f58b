internal import AuditEngine

/// The file `events.csv.zst`: the verdicts of attestations, assertions and challenges in the
/// columns of ``VerdictsCSV``, in order of key and time. Its frames hold whole rows, so that each
/// can be read without the others: see ``EventsIndex``.
enum EventsCSV {
  static let name = "events.csv.zst"
  /// The largest number of bytes of rows in a frame, not counting the last row. So much is read for
  /// one key.
  static let frameBytes = 1 << 20
}
