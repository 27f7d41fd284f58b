import Foundation

/// The built program, run in a folder of its own.
struct Program {
  struct Outcome: Equatable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// The program lies beside the test bundle.
  static let path: String = {
    let bundle = Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
    let runner =
      bundle ?? CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: runner).deletingLastPathComponent().appendingPathComponent(
      "attest-audit"
    ).path
  }()

  /// Runs the program with nothing on standard input. `shell` is what a shell does before it: limits,
  /// redirections; the program and its arguments stand for `"$@"`.
  static func run(
    _ arguments: [String], in folder: String, environment: [String: String] = [:],
    shell: String = "exec \"$@\""
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", shell, "sh", path] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ["PATH": "/usr/bin:/bin", "TMPDIR": folder]
      .merging(environment, uniquingKeysWith: { $1 })
    process.standardInput = FileHandle.nullDevice
    let files = try ["output", "errors"].map { name -> FileHandle in
      let path = NSTemporaryDirectory() + "attest-\(name)-" + UUID().uuidString
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      defer { try? FileManager.default.removeItem(atPath: path) }
      guard let handle = FileHandle(forUpdatingAtPath: path) else {
        throw CocoaError(.fileNoSuchFile)
      }
      return handle
    }
    process.standardOutput = files[0]
    process.standardError = files[1]
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { file -> String in
      try file.seek(toOffset: 0)
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
    return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }
}
