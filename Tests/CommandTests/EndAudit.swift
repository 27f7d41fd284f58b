import TestSupport
import Testing

/// A folder with the settings of the synthetic day, and audits in it that report into `report`.
struct EndAudit {
  let scratch: Scratch
  let day = SyntheticDay.shared

  /// Makes the folder. `settings` stands behind the text of the day's pipeline file.
  init(settings: String = "") throws {
    scratch = try Scratch()
    try day.writeSettings(to: scratch, more: settings)
    try scratch.makeFolder("spill")
  }

  var report: ReportFolder { scratch.report() }

  /// Returns the command line of an audit of `inputs`, which may hold flags as well.
  static func arguments(_ inputs: [String]) -> [String] {
    [
      "audit", "--pipeline", "pipeline.yaml", "--out", "report", "--overwrite", "--temp-dir",
      "spill",
    ] + inputs
  }

  func run(
    _ inputs: String..., shell: String? = nil, input: [UInt8] = []
  ) throws -> Program.Outcome {
    try run(inputs, shell: shell, input: input)
  }

  func run(
    _ inputs: [String], shell: String? = nil, input: [UInt8] = []
  ) throws -> Program.Outcome {
    try Program.run(Self.arguments(inputs), in: scratch.path, shell: shell, input: input)
  }
}

extension Scratch {
  /// The names of the files for spilled rows.
  var spilled: [String] {
    get throws { try names.filter { $0.hasPrefix(".") } + contents("spill") }
  }

  /// Returns the names of everything in a folder of the folder.
  func contents(_ name: String) throws -> [String] {
    try ReportFolder(path: "\(path)/\(name)").names
  }
}
