import Foundation

/// Debian's Python, for tests that judge by code other than the program's own.
package enum Python {
  /// The reason why a script gave no answer.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// Returns the path of a script of `Tests/Python`.
  static func path(of script: String) -> String {
    "\(Repository.root)/Tests/Python/\(script).py"
  }

  /// Runs a script that reads `input`, and returns its output. `packages` are the Debian packages
  /// that it needs.
  static func run(
    _ script: String, _ arguments: [String] = [], input: [UInt8], packages: String
  ) throws -> Data {
    let outcome = try Program.start(
      [path(of: script)] + arguments, in: NSTemporaryDirectory(),
      environment: ["PYTHONIOENCODING": "utf-8"], input: input, program: "/usr/bin/python3"
    ).wait()
    guard outcome.status == 0 else {
      throw Failure(
        description: "python3 with \(packages) (pipelines/setup installs it) ended with "
          + "\(outcome.status): \(outcome.errors)")
    }
    return Data(outcome.output.utf8)
  }
}
