internal import Files
import Glibc

/// The resources of the machine, and the share that a run takes unless told otherwise.
package enum Machine {
  /// A quarter of the machine's memory, at least 64 MiB and at most 4 GiB.
  package static var defaultMemory: Int {
    let (bytes, overflow) = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(
      by: sysconf(Int32(_SC_PAGESIZE)))
    return overflow ? 4 << 30 : min(max(bytes / 4, 64 << 20), 4 << 30)
  }

  package static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Returns `$TMPDIR`, or else `/var/tmp`, which is on a disk.
  package static func temporaryFolder(_ environment: [String: String]) -> String {
    let folder = environment["TMPDIR"] ?? ""
    return folder.isEmpty ? "/var/tmp" : folder
  }

  /// The largest resident set of this process so far, in bytes, or 0 if the system does not tell. What
  /// getrusage(2) tells includes the process that started this one.
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
