import Foundation

/// Debian's Python, for tests that judge by code other than the program's own.
package enum Python {
  /// The reason why a script gave no answer.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// Runs a script that reads `input`, and returns its output. `packages` are the Debian packages
  /// that it needs.
  static func run(
    _ script: String, _ arguments: [String] = [], input: [UInt8], packages: String
  ) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", script] + arguments
    process.environment = ["PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"]
    let scratch = try Scratch()
    let errors = try scratch.write("errors", "")
    process.standardInput = try FileHandle(
      forReadingFrom: URL(filePath: scratch.write("input", input)))
    process.standardError = FileHandle(forWritingAtPath: errors)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let why = try scratch.text("errors")
      throw Failure(
        description: "python3 with \(packages) (pipelines/setup installs it) ended with "
          + "\(process.terminationStatus): \(why)")
    }
    return answer
  }
}
