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

  /// Expects an audit of `inputs` to say nothing but `errors`, to end with `status`, and to find
  /// `findings`.
  func expect(
    _ inputs: String..., input: [UInt8] = [], status: Int32, errors: String = "",
    findings: [String], lines: [String: Int] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = try run(inputs + ["--quiet"], input: input)
    #expect(
      outcome == Program.Outcome(status: status, output: "", errors: errors),
      sourceLocation: sourceLocation)
    #expect(try report.findings == findings, sourceLocation: sourceLocation)
    let records = try report.summary.records
    for (name, count) in lines {
      #expect(records[name] == count, "\(name)", sourceLocation: sourceLocation)
    }
    #expect(try scratch.spilled == [], sourceLocation: sourceLocation)
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
