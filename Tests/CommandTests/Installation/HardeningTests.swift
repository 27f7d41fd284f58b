import Foundation
import TestSupport
import Testing

/// The protections of the installed program against those who make it misbehave, read from the file
/// itself.
///
/// `ATTEST_AUDIT_INSTALLED` names the program; else it is the one that `pipelines/install/build`
/// made last in the checkout. Without one there is nothing to read.
struct HardeningTests {
  private static let program: String? = {
    let named = ProcessInfo.processInfo.environment["ATTEST_AUDIT_INSTALLED"]
    let path = named ?? "\(Repository.root)/.build-install/installed/attest-audit"
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()

  private func readelf(_ flags: String) throws -> String {
    let outcome = try Program.run(
      [try #require(Self.program)], in: "/", shell: "exec readelf -W \(flags) \"$2\"")
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  @Test(.enabled(if: program != nil, "nothing is installed"))
  func `everything is bound before main, and read-only from then on`() throws {
    let dynamic = try readelf("-d")
    #expect(dynamic.contains("BIND_NOW") || dynamic.contains("Flags: NOW"))
    #expect(try readelf("-l").contains("GNU_RELRO"))
    #expect(try readelf("-h").contains("DYN (Position-Independent Executable file)"))
  }

  @Test(.enabled(if: program != nil, "nothing is installed"))
  func `libraries come from the system's folders alone`() throws {
    let dynamic = try readelf("-d")
    #expect(!dynamic.contains("RUNPATH") && !dynamic.contains("RPATH"))
    #expect(!dynamic.contains("libswift") && !dynamic.contains("libFoundation"))
  }

  @Test(.enabled(if: program != nil, "nothing is installed"))
  func `no stack is executable, and the C parts have canaries`() throws {
    let stack = try readelf("-l").split(separator: "\n").first { $0.contains("GNU_STACK") }
    #expect(stack?.contains("RWE") == false)
    let symbols = try readelf("--dyn-syms")
    #expect(symbols.contains("__stack_chk_fail"))
  }

  @Test(.enabled(if: program != nil, "nothing is installed"))
  func `debug information lies beside it`() throws {
    let sections = try readelf("-S")
    #expect(!sections.contains(".debug_info") && sections.contains(".gnu_debuglink"))
    #expect(sections.contains(".note.gnu.build-id"))
  }
}
