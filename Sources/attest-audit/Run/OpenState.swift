import AuditEngine
import AuditReport

/// The parts of a state that its run needs while it reports.
struct OpenState {
  var history: RunMemory
  /// The function that returns the figures of the state. It is called once, after every finding was
  /// remembered, if there is a report.
  var figures: () throws -> StateFigures
  /// The function that is called with the number of new findings once every finding was remembered
  /// and the report is on the disk, before it is put in place. It is called without a report as
  /// well.
  var beforePlacing: (UInt64) throws -> Void
}
