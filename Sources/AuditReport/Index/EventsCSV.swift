internal import AuditEngine

/// `events.csv.zst`: the verdicts of attestations, assertions and challenges in the columns of
/// ``VerdictsCSV``, in order of key and time. Its frames are whole rows, so that one is read without
/// the others: see ``EventsIndex``.
enum EventsCSV {
  static let name = "events.csv.zst"
  /// Bytes of rows in a frame at most, but for the last row: as much as is read for one key.
  static let frameBytes = 1 << 20
}
