import AuditEngine
import AuditSettings
import Foundation
import TestSupport
import Testing

@testable import attest_audit

/// The README and the DocC catalog: what they say is what the program does.
struct DocumentationTests {
  @Test func `pages show what commands print, and name what there is`() throws {
    let process = Process()
    process.executableURL = URL(filePath: "\(Repository.root)/pipelines/documentation")
    process.arguments = ["--check", Program.path]
    process.environment = ["PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"]
      .merging(Program.passedOn, uniquingKeysWith: { $1 })
    let scratch = try Scratch()
    let output = try scratch.write("output", "")
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: output)
    try process.run()
    process.waitUntilExit()
    let differences = try scratch.text("output")
    #expect(process.terminationStatus == 0, "pipelines/documentation writes again:\n\(differences)")
  }
}

/// The help of the built program, and the colours of its output.
struct HelpTests {
  private let scratch = made { try Scratch() }

  private func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Program.Outcome {
    try Program.run(arguments, in: scratch.path, environment: environment)
  }

  @Test func `help of an audit has every flag below its topic, and three examples`() throws {
    let help = try run(["audit", "--help"]).output
    var rest = help[...]
    for topic in SettingTopic.allCases {
      let heading = try #require(rest.firstRange(of: "\n\(topic.rawValue.uppercased()):\n"))
      rest = rest[heading.upperBound...]
      let section = rest.prefix(upTo: rest.firstRange(of: "\n\n")?.lowerBound ?? rest.endIndex)
      let flags = SettingTable.all.filter { $0.topic == topic }.compactMap(\.flag?.name)
      #expect(!flags.isEmpty)
      for flag in flags { #expect(section.contains("  \(flag)"), "\(topic) \(flag)") }
    }
    #expect(help.ranges(of: "attest-audit audit ").count >= 3)
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
