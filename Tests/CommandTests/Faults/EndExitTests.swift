import Foundation
import Glibc
import TestSupport
import Testing

/// A signal is never early enough to be lost, and leaves all of a report or nothing.
struct EndExitTests {
  private let audit: EndAudit

  init() throws {
    audit = try EndAudit()
    try audit.scratch.write("a.jsonl", audit.day.log())
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal that is there before the program is one that came in time`(
    _ number: Int32, _ status: Int32
  ) throws {
    // Held back by the shell's child, as by a service manager that is quick.
    let outcome = try Program.run(
      EndAudit.arguments(["a.jsonl", "--quiet"]), in: audit.scratch.path,
      shell: """
        exec python3 -c 'import os, signal, sys
        signal.pthread_sigmask(signal.SIG_BLOCK, [\(number)])
        os.kill(os.getpid(), \(number))
        os.execv(sys.argv[1], sys.argv[1:])' "$@"
        """)
    #expect(outcome.status == status)
    let word = number == SIGINT ? "interrupted" : "terminated"
    #expect(outcome.errors == "attest-audit: \(word): nothing was written\n")
    #expect(try audit.scratch.names.filter { $0.contains("report") } == [])
  }

  @Test func `signals at any moment of a run end it with their status, or it was done`() throws {
    for delay in stride(from: 0, to: 60_000, by: 3_000) {
      let running = try Program.start(
        EndAudit.arguments(["a.jsonl", "--quiet"]), in: audit.scratch.path)
      guard running.poll(until: { running.holdsSignalsBack }) else { continue }
      usleep(UInt32(delay))
      running.send(SIGTERM)
      let outcome = try running.wait()
      #expect([0, 143].contains(outcome.status), "after \(delay) µs")
      let isThere = try audit.scratch.names.contains("report")
      #expect(isThere == (outcome.status == 0), "after \(delay) µs")
      #expect(
        outcome.errors
          == (outcome.status == 0 ? "" : "attest-audit: terminated: nothing was written\n"))
      try? FileManager.default.removeItem(atPath: audit.report.path)
    }
  }

  @Test func `other commands end by a signal as any program does`() throws {
    let running = try Program.start(
      ["init", "-"], in: audit.scratch.path, shell: "mkfifo pipe; exec \"$@\" <> pipe")
    #expect(running.poll { running.isAttestAudit })
    usleep(100_000)
    running.send(SIGTERM)
    #expect(try running.wait().status == 143)
  }
}

extension RunningProgram {
  /// Whether the process is the program itself by now, and not the shell that starts it.
  fileprivate var isAttestAudit: Bool {
    let path = "/proc/\(identifier)/exe"
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: path))?
      .hasSuffix("/attest-audit") == true
  }

  /// Whether it holds signals back, as an audit does from the program's first steps on.
  fileprivate var holdsSignalsBack: Bool {
    guard
      let status = try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigBlk:") }),
      let blocked = UInt64(line.dropFirst(7).filter(\.isHexDigit), radix: 16)
    else { return false }
    return blocked & (1 << 14) != 0
  }
}
