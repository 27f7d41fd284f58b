import Foundation
import Glibc
import TestSupport
import Testing

/// SIGINT and SIGTERM end a run quickly, and nothing is left of it.
struct EndSignalTests {
  private let audit: EndAudit

  init() throws {
    audit = try EndAudit()
    let made = unsafe mkfifo(audit.scratch.path + "/pipe", 0o600)
    #expect(made == 0)
  }

  private static let signals: [(number: Int32, status: Int32, errors: String)] = [
    (SIGINT, 130, "attest-audit: interrupted: nothing was written\n"),
    (SIGTERM, 143, "attest-audit: terminated: nothing was written\n"),
  ]

  private func start(_ flags: [String], shell: String? = nil) throws -> RunningProgram {
    try Program.start(
      EndAudit.arguments(["--quiet"] + flags), in: audit.scratch.path, shell: shell)
  }

  /// Opens the pipe for writing once the program reads it; the program then waits for what comes.
  private func openPipe(_ running: RunningProgram) throws -> FileHandle {
    var descriptor: Int32 = -1
    let isOpen = running.poll {
      descriptor = unsafe open(audit.scratch.path + "/pipe", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      return descriptor >= 0
    }
    try #require(isOpen)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Sends the signal and expects the end within two seconds, and nothing left.
  private func expectEnd(_ running: RunningProgram, _ index: Int) throws {
    let clock = ContinuousClock()
    let start = clock.now
    running.send(Self.signals[index].number)
    #expect(
      try running.wait()
        == Program.Outcome(
          status: Self.signals[index].status, output: "", errors: Self.signals[index].errors))
    #expect(clock.now - start < .seconds(Sanitizer.isActive ? 30 : 2))
    #expect(try audit.scratch.names.filter { $0.contains("report") } == [])
    #expect(try audit.scratch.spilled == [])
  }

  @Test(arguments: signals.indices)
  func `a run that waits for its input, and has spilled, ends`(_ index: Int) throws {
    try audit.scratch.write("many.jsonl", String(repeating: "x\n", count: 20_000))
    let running = try start(
      ["many.jsonl", "pipe", "--memory", "64MiB", "--jobs", "48", "--log-level", "error"])
    let pipe = try openPipe(running)
    try pipe.write(contentsOf: SyntheticDay.shared.log())
    #expect(running.poll { running.openFiles.contains { $0.contains("/spill/") } })
    // It has no name from the start.
    #expect(try audit.scratch.spilled == [])
    try expectEnd(running, index)
    try pipe.close()
  }

  @Test func `a run that waits for a pipe nobody writes ends`() throws {
    let running = try start(["pipe"])
    // Signals are held back from the first moment on; nothing but the pipe is left to do.
    usleep(200_000)
    try expectEnd(running, 0)
  }

  @Test func `a run that waits for standard input ends`() throws {
    let running = try start(["-"], shell: "exec \"$@\" < pipe")
    let pipe = try openPipe(running)
    try pipe.write(contentsOf: SyntheticDay.shared.log())
    // The shell opens the pipe: the program is there once it has emptied it.
    var waiting: Int32 = 1
    #expect(
      running.poll {
        unsafe ioctl(pipe.fileDescriptor, UInt(FIONREAD), &waiting) == 0 && waiting == 0
      })
    try expectEnd(running, 1)
  }
}
