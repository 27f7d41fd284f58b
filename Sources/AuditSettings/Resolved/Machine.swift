internal import Files
import Glibc

/// The resources of the machine, and the share that a run takes unless told otherwise.
package enum Machine {
  package static let leastMemory = 64 << 20

  /// The address space beside the memory limit, in bytes: program, libraries, stacks and heaps.
  package static let fixedSpace = 352 << 20

  /// The address space that the process may use, in bytes.
  package static var space: Int {
    var limit = rlimit()
    let isKnown = unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
    return isKnown ? Int(clamping: limit.rlim_cur) : .max
  }

  /// A quarter of the machine's memory, at least ``leastMemory``, at most 4 GiB, and no more than there is address space.
  package static var defaultMemory: Int {
    let (bytes, overflow) = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(
      by: sysconf(Int32(_SC_PAGESIZE)))
    return max(leastMemory, min(overflow ? .max : bytes / 4, 4 << 30, space - fixedSpace))
  }

  package static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Returns `$TMPDIR`, or else `/var/tmp`, which is on a disk.
  package static func temporaryFolder(_ environment: [String: String]) -> String {
    let folder = environment["TMPDIR"] ?? ""
    return folder.isEmpty ? "/var/tmp" : folder
  }

  /// The largest resident set of this process, in bytes, or 0. getrusage(2) has its parent's, too.
  package static var peakMemory: UInt64 {
    let status = try? OpenFile(reading: "/proc/self/status").readNext(limit: 1 << 14)
    guard let status,
      let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
        .first(where: { $0.hasPrefix("VmHWM:") })
    else { return 0 }
    return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).compactMap { UInt64($0) }.first
      .map { $0 * 1024 } ?? 0
  }
}
