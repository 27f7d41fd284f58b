import AuditSettings
import TestSupport
import Testing

/// The help of the built program, and the colours of its output.
struct HelpTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Program.Outcome {
    try Program.run(arguments, in: scratch.path, environment: environment)
  }

  @Test func `help of an audit has every flag below its topic, and three examples`() throws {
    let help = try run(["audit", "--help"]).output
    var rest = help[...]
    for topic in SettingTopic.allCases {
      let heading = try #require(rest.firstRange(of: "\n\(topic.title.uppercased()):\n"))
      rest = rest[heading.upperBound...]
      let section = rest.prefix(upTo: rest.firstRange(of: "\n\n")?.lowerBound ?? rest.endIndex)
      let flags = SettingTable.all.filter { $0.topic == topic }.compactMap(\.flag?.name)
      #expect(!flags.isEmpty)
      for flag in flags { #expect(section.contains("  \(flag)"), "\(topic) \(flag)") }
    }
    #expect(help.ranges(of: "attest-audit audit ").count >= 3)
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `the table of settings can be printed`() throws {
    #expect(try run(["settings"]).output == SettingsTableText.markdown)
    #expect(try !run(["--help"]).output.contains("\n  settings "))
  }
}
