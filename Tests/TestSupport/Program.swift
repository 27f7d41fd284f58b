import Foundation
import Glibc

/// The built program, run in a folder of its own.
package struct Program {
  /// What a run came to.
  package struct Outcome: Equatable, Sendable {
    /// 128 and the signal's number where a signal ended it, as a shell has it.
    package var status: Int32
    package var output: String
    package var errors: String

    package init(status: Int32, output: String, errors: String) {
      self.status = status
      self.output = output
      self.errors = errors
    }
  }

  /// The program lies beside the test bundle, unless `ATTEST_AUDIT_PROGRAM` names another one: so
  /// that tests can be seen to fail with an earlier version.
  package static let path: String = {
    if let other = ProcessInfo.processInfo.environment["ATTEST_AUDIT_PROGRAM"] { return other }
    let bundle = Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
    let runner =
      bundle ?? CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: runner).deletingLastPathComponent().appendingPathComponent(
      "attest-audit"
    ).path
  }()

  /// What the program is told of how the tests are run: what a sanitizer reads, and the mistake that is
  /// planted (`pipelines/mutate`).
  package static let passedOn = ProcessInfo.processInfo.environment.filter {
    $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "ATTEST_AUDIT_MUTANT"
  }

  /// Runs the program to its end. `shell` is what a shell does with it: limits, redirections; the
  /// program and its arguments stand for `"$@"`. `input` comes on standard input.
  package static func run(
    _ arguments: [String], in folder: String, environment: [String: String] = [:],
    shell: String = "exec \"$@\"", input: [UInt8] = []
  ) throws -> Outcome {
    try start(arguments, in: folder, environment: environment, shell: shell, input: input).wait()
  }

  /// Starts the program and does not wait for it.
  package static func start(
    _ arguments: [String], in folder: String, environment: [String: String] = [:],
    shell: String = "exec \"$@\"", input: [UInt8] = []
  ) throws -> RunningProgram {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", shell, "sh", path] + arguments
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
    try process.run()
    return RunningProgram(process, output: files[1], errors: files[2])
  }

  /// A temporary file that is gone with its handle.
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
  /// Seconds after which a run that does not end is killed; its test fails by the status, 137.
  private static let patience = Sanitizer.isActive ? 1200.0 : 180.0

  private let process: Process
  private let output: FileHandle
  private let errors: FileHandle
  private let deadline = Date(timeIntervalSinceNow: RunningProgram.patience)

  fileprivate init(_ process: Process, output: FileHandle, errors: FileHandle) {
    self.process = process
    self.output = output
    self.errors = errors
  }

  /// The number of the process.
  package var identifier: Int32 { process.processIdentifier }

  package var isRunning: Bool { process.isRunning }

  /// Sends a signal.
  package func send(_ signal: Int32) {
    kill(process.processIdentifier, signal)
  }

  /// The largest resident set so far, in bytes; nil once it has ended. (`ru_maxrss` would tell the
  /// largest set of the process that started this one, where that is larger.)
  package var peakMemory: Int? {
    let path = "/proc/\(process.processIdentifier)/status"
    guard let status = try? String(contentsOfFile: path, encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kibibytes = line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first
    else { return nil }
    return Int(kibibytes).map { $0 << 10 }
  }

  /// What its open files are called, as the kernel has it.
  package var openFiles: [String] {
    let folder = "/proc/\(process.processIdentifier)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
  }

  /// Waits for `condition`, looking every few milliseconds, as long as the program runs: whether it
  /// was met.
  package func poll(until condition: () throws -> Bool) rethrows -> Bool {
    while process.isRunning, Date() < deadline {
      if try condition() { return true }
      usleep(2000)
    }
    return try condition()
  }

  /// Waits for the end.
  package func wait() throws -> Program.Outcome {
    if !poll(until: { !process.isRunning }) { send(SIGKILL) }
    process.waitUntilExit()
    let isKilled = process.terminationReason == .uncaughtSignal
    return Program.Outcome(
      status: process.terminationStatus + (isKilled ? 128 : 0), output: try Self.text(of: output),
      errors: try Self.text(of: errors))
  }

  private static func text(of file: FileHandle) throws -> String {
    try file.seek(toOffset: 0)
    return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
  }
}
