import AuditSettings
import Glibc

/// The limit on the file descriptors of the process.
enum Descriptors {
  /// The number that a run needs with a state, a report and everything spilled, with some to spare.
  static let least: rlim_t = 24

  /// Raises the limit as far as the system allows. Throws if that is too few for a run.
  static func requireEnough() throws(CommandError) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return }
    if limit.rlim_cur < limit.rlim_max {
      var wider = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
      if unsafe setrlimit(__rlimit_resource_t(7), &wider) == 0 { limit = wider }
    }
    guard limit.rlim_cur < least else { return }
    throw CommandError(
      .cannotWrite,
      "the process may have \(limit.rlim_cur) open files, and a run may need \(least)",
      hint: "use ulimit -n \(least), or set LimitNOFILE= of the service")
  }
}
