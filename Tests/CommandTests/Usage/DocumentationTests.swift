import AuditEngine
import AuditSettings
import Foundation
import TestSupport
import Testing

@testable import attest_audit

/// The README and the DocC catalog: what they say is what the program does.
struct DocumentationTests {
  private static let catalog = "\(Repository.root)/Sources/attest-audit/Documentation.docc"

  private static let pages =
    (try? FileManager.default.contentsOfDirectory(atPath: catalog))?
    .filter { $0.hasSuffix(".md") }.sorted() ?? []

  private static func page(_ name: String) throws -> String {
    try String(contentsOfFile: "\(catalog)/\(name)", encoding: .utf8)
  }

  private static func readme() throws -> String {
    try String(contentsOfFile: "\(Repository.root)/README.md", encoding: .utf8)
  }

  @Test func `every command in a console block prints what the page shows`() throws {
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
    let differences = String(decoding: try scratch.bytes("output"), as: UTF8.self)
    #expect(process.terminationStatus == 0, "pipelines/documentation writes again:\n\(differences)")
  }

  @Test func `the README is short, and its links lead somewhere`() throws {
    let text = try Self.readme()
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    let links = text.matches(of: /\]\(([^)]*)\)/).map { String($0.1) }
    #expect(links.count > 10)
    for link in links {
      #expect(FileManager.default.fileExists(atPath: "\(Repository.root)/\(link)"), "\(link)")
    }
    for command in ["pipelines/demo", "pipelines/test"] { #expect(text.contains("$ \(command)\n")) }
  }

  @Test func `pages link to pages that are there, and every page is listed`() throws {
    let front = try Self.page("Documentation.md")
    #expect(Self.pages.count > 10)
    for name in Self.pages {
      for link in try Self.page(name).matches(of: /<doc:([A-Za-z]*)>/) {
        #expect(Self.pages.contains("\(link.1).md"), "\(name): \(link.0)")
      }
      let title = name.dropLast(3)
      #expect(name == "Documentation.md" || front.contains("<doc:\(title)>"), "\(name)")
    }
  }

  @Test func `no page names an option that no command has`() throws {
    let commands = [
      ["audit"], ["check"], ["init"], ["explain"], ["inspect"], ["evidence"], ["settings"],
      ["timeline"], ["report"], ["diff"], ["simulate"], ["state", "findings"],
      ["state", "export"], ["state", "prune"], ["state", "rollback"],
    ]
    var known = Set(["--version", "--help", "--format"])
    for command in commands {
      let help = try Program.run(command + ["--help"], in: "/").output
      known.formUnion(help.matches(of: /--[a-z][a-z-]*/).map { String($0.0) })
    }
    for (name, text) in try [("README.md", Self.readme())]
      + Self.pages.map({ ($0, try Self.page($0)) })
    {
      // A line that is about another program names its own options.
      for line in text.split(separator: "\n")
      where line.contains("attest-audit ") && !line.contains(/install|swift|docc|pipelines\/|bench/)
      {
        for option in line.matches(of: /--[a-z][a-z-]*/) {
          #expect(known.contains(String(option.0)), "\(name): \(line)")
        }
      }
    }
  }

  @Test func `every target of the package is drawn and explained`() throws {
    let package = try String(
      contentsOfFile: "\(Repository.root)/Package.swift", encoding: .utf8)
    let building = try Self.page("Building.md")
    // What only `pipelines/fuzz` builds stands behind the rest.
    let usual = package.components(separatedBy: "ATTEST_AUDIT_FUZZ")[0]
    let names = usual.matches(of: /\.(systemLibrary|target|executableTarget)\(\s*name: "([^"]+)"/)
      .map { String($0.2) }.filter { !$0.contains("Test") }
    #expect(Set(["attest-bench", "CZlib", "AuditState"]).isSubset(of: names))
    for name in names {
      // Targets under Tests are explained, and not drawn.
      #expect(
        FileManager.default.fileExists(atPath: "\(Repository.root)/Tests/\(name)")
          || building.contains("\n\(name)"), "pipelines/documentation --targets: \(name)")
      #expect(building.contains("`\(name)`"), "\(name)")
    }
  }
}

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
}
