import Foundation
import TestSupport
import Testing

/// Tests of a folder of logs, `logs/`, that is audited night by night.
protocol InputNights {
  var scratch: Scratch { get }
  var day: SyntheticDay { get }
}

extension InputNights {
  /// Puts a file into the folder of logs; it was written an hour ago unless it is being written.
  func put(_ name: String, _ bytes: [UInt8], isOpen: Bool = false) throws {
    try scratch.write("logs/" + name, bytes)
    guard !isOpen else { return }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)],
      ofItemAtPath: scratch.path + "/logs/" + name)
  }

  /// A night: what it came to, and the lines of its input.
  @discardableResult
  func night(
    _ number: Int, status: Int32? = 0, state: Bool = true
  ) throws -> ReportFolder {
    let outcome = try Program.run(
      ["audit", "logs", "--pipeline", "pipeline.yaml", "--out", "night-\(number)", "--quiet"]
        + (state ? ["--state", "state"] : []), in: scratch.path)
    #expect(outcome.status == status ?? outcome.status, "night \(number): \(outcome.errors)")
    return scratch.report("night-\(number)")
  }
}
