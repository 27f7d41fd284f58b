import Foundation
import Glibc

/// The built program, run in a folder of its own.
package struct Program {
  /// The result of a run.
  package struct Outcome: Equatable, Sendable {
    /// The exit status, or 128 plus the signal's number if a signal ended the run, as in a shell.
    package var status: Int32
    package var output: String
    /// The text on standard error, with long lines joined.
    package var errors: String

    package init(status: Int32, output: String, errors: String) {
      self.status = status
      self.output = output
      self.errors = errors
    }
  }

  /// The path of the program: beside the test bundle, unless `ATTEST_AUDIT_PROGRAM` names another
  /// one. That way tests can be seen to fail with an earlier version.
  package static let path =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_PROGRAM"] ?? built("attest-audit")

  /// Returns the path of a program that was built with the tests.
  private static func built(_ name: String) -> String {
    let bundle = Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
    let runner =
      bundle ?? CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: runner).deletingLastPathComponent().appendingPathComponent(name)
      .path
  }

  /// The environment variables that are passed on to the program: the options of a sanitizer, and
  /// the planted mistake (`pipelines/mutate`).
  package static let passedOn = ProcessInfo.processInfo.environment.filter {
    $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "ATTEST_AUDIT_MUTANT"
  }

  /// Runs the program to its end. `shell` is shell code that runs it, for limits and redirections.
  /// In it `"$@"` stands for the program and its arguments. `input` comes on standard input.
  package static func run(
    _ arguments: [String], in folder: String, environment: [String: String] = [:],
    shell: String? = nil, input: [UInt8] = []
  ) throws -> Outcome {
    try start(arguments, in: folder, environment: environment, shell: shell, input: input).wait()
  }

  /// Makes logs by `attest-forge`.
  package static func forge(_ arguments: [String], in folder: String) throws -> Outcome {
    try start(arguments, in: folder, program: built("attest-forge")).wait()
  }

  /// Starts the program and does not wait for it.
  package static func start(
    _ arguments: [String], in folder: String, environment: [String: String] = [:],
    shell: String? = nil, input: [UInt8] = [], program: String = path
  ) throws -> RunningProgram {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: shell == nil ? program : "/bin/sh")
    process.arguments = (shell.map { ["-c", $0, "sh", program] } ?? []) + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ["PATH": "/usr/bin:/bin", "TMPDIR": folder]
      .merging(Self.passedOn, uniquingKeysWith: { $1 })
      .merging(environment, uniquingKeysWith: { $1 })
    let files = try (0..<3).map { _ in try namelessFile() }
    try files[0].write(contentsOf: input)
    try files[0].seek(toOffset: 0)
    process.standardInput = files[0]
    process.standardOutput = files[1]
    process.standardError = files[2]
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    try process.run()
    return RunningProgram(process, end: end, output: files[1], errors: files[2])
  }

  /// Makes a temporary file without a name. It is removed with its handle.
  private static func namelessFile() throws -> FileHandle {
    let path = NSTemporaryDirectory() + "attest-program-" + UUID().uuidString
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    defer { try? FileManager.default.removeItem(atPath: path) }
    guard let handle = FileHandle(forUpdatingAtPath: path) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return handle
  }
}

/// The program while it runs.
package final class RunningProgram {
  /// The seconds after which a run that does not end is killed. Its test then fails by the status,
  /// 137. `ATTEST_AUDIT_PATIENCE` sets them, for tests that are made longer.
  private static let patience =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_PATIENCE"].flatMap { Double($0) }
    ?? (Sanitizer.isActive ? 1200.0 : 180.0)

  private let process: Process
  private let end: DispatchSemaphore
  private let output: FileHandle
  private let errors: FileHandle
  private let deadline = Date(timeIntervalSinceNow: RunningProgram.patience)

  fileprivate init(
    _ process: Process, end: DispatchSemaphore, output: FileHandle, errors: FileHandle
  ) {
    self.process = process
    self.end = end
    self.output = output
    self.errors = errors
  }

  /// The process identifier.
  package var identifier: Int32 { process.processIdentifier }

  /// Sends a signal.
  package func send(_ signal: Int32) {
    kill(process.processIdentifier, signal)
  }

  /// Stops the program, and returns once none of its threads runs; false if that does not come.
  package func stop() -> Bool {
    send(SIGSTOP)
    let folder = "/proc/\(process.processIdentifier)/task"
    return poll {
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return !threads.isEmpty
        && threads.allSatisfy { thread in
          let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
          return status?.contains("\nState:\tT") == true
        }
    }
  }

  /// The names of its open files, as the kernel reports them.
  package var openFiles: [String] {
    let folder = "/proc/\(process.processIdentifier)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
  }

  /// Waits for `condition`, checking it every few milliseconds, as long as the program runs.
  /// Returns whether it was met.
  package func poll(until condition: () throws -> Bool) rethrows -> Bool {
    while process.isRunning, Date() < deadline {
      if try condition() { return true }
      usleep(2000)
    }
    return try condition()
  }

  /// Waits for the end.
  package func wait() throws -> Program.Outcome {
    if end.wait(timeout: .now() + deadline.timeIntervalSinceNow) == .timedOut { send(SIGKILL) }
    process.waitUntilExit()
    let isKilled = process.terminationReason == .uncaughtSignal
    return Program.Outcome(
      status: process.terminationStatus + (isKilled ? 128 : 0), output: try Self.text(of: output),
      errors: try Self.text(of: errors).replacing(#/\n  (?=[^ ])/#, with: " "))
  }

  private static func text(of file: FileHandle) throws -> String {
    try file.seek(toOffset: 0)
    return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
  }
}
