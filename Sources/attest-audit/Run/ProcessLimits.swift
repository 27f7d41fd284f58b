import AuditSettings
import Glibc

/// The limits of the process that a run needs to be higher.
enum ProcessLimits {
  /// The address space below which the program could not even report that memory is missing, in bytes.
  private static let leastSpace: rlim_t = 320 << 20

  /// Throws if the process may have too little address space for a run.
  static func requireSpace() throws(CommandError) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(9), &limit) == 0, limit.rlim_cur < leastSpace
    else { return }
    throw CommandError(
      .failure,
      "the process may use \(limit.rlim_cur >> 20) MiB of address space, and a run needs "
        + "\(leastSpace >> 20) MiB or more",
      hint: "use ulimit -v \(leastSpace >> 10 * 4), or set LimitAS= of the service")
  }

  /// The open files that a run needs with a state, a report and everything spilled.
  private static let leastDescriptors: rlim_t = 24

  /// Raises the limit as far as the system allows. Throws if that is too few for a run.
  static func requireDescriptors() throws(CommandError) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return }
    if limit.rlim_cur < limit.rlim_max {
      var wider = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
      if unsafe setrlimit(__rlimit_resource_t(7), &wider) == 0 { limit = wider }
    }
    guard limit.rlim_cur < leastDescriptors else { return }
    throw CommandError(
      .cannotWrite,
      "the process may have \(limit.rlim_cur) open files, and a run may need \(leastDescriptors)",
      hint: "use ulimit -n \(leastDescriptors), or set LimitNOFILE= of the service")
  }
}
