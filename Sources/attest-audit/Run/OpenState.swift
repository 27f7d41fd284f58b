import AuditEngine
import AuditReport

/// What a run that has a state needs of it while it reports.
struct OpenState {
  var history: RunMemory
  /// What the state holds; asked for once, after every finding was remembered, if there is a report.
  var figures: () throws -> StateFigures
  /// Called with the number of new findings once every finding was remembered and the report is on
  /// the disk, before it is put in place; without a report as well.
  var beforePlacing: (UInt64) throws -> Void
}
