/// The file `verdicts.csv.zst`: one row for every record, in the columns of ``EventColumns``.
enum VerdictsCSV {
  static let name = "verdicts.csv.zst"

  /// The kind of the rows of `events.csv.zst` that assign a key or an event to a device.
  static let deviceKind = "device"
}
