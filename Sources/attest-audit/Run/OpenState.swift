import AuditEngine
import AuditReport

/// The parts of a state that its run needs while it reports.
struct OpenState {
  var history: RunMemory
  /// What the state holds; asked for once, after every finding was remembered, if there is a report.
  var figures: () throws -> StateFigures
  /// Called with the number of new findings once every finding was remembered and the report is on
  /// the disk, before it is put in place; without a report as well.
  var beforePlacing: (UInt64) throws -> Void
}
