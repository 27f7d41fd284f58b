import AuditEngine
import AuditSettings
import Glibc

/// The limits of the process that a run needs to be higher.
enum ProcessLimits {
  /// Throws if the process may have too little address space for a run with these settings.
  static func requireSpace(_ settings: RunSettings) throws(CommandError) {
    try requireSpace(memory: settings.configuration.limits.memory)
  }

  /// Throws if the process may have too little address space for a run with a memory limit: threads that cannot be started
  /// would make it wait for ever.
  static func requireSpace(memory: Int = Machine.leastMemory) throws(CommandError) {
    let (space, needed) = (Machine.space, Machine.fixedSpace + memory)
    guard space < needed else { return }
    throw CommandError(
      .failure,
      "the process may use \(space >> 20) MiB of address space, and a run with a memory of "
        + "\(memory >> 20) MiB needs \(needed >> 20) MiB or more",
      hint: "use ulimit -v \(needed >> 10), set LimitAS= of the service, or use less with --memory")
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
