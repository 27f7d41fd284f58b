import AuditReport
import AuditSettings
import Basics

extension AuditDay {
  /// Returns the day before the one that `now` (milliseconds since 1970) falls in, UTC.
  static func yesterday(of now: Int64) -> String {
    CivilTime(milliseconds: now - 86_400_000).dateText
  }
}
