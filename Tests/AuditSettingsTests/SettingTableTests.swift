import AppAttest
import AuditEngine
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditSettings

/// The one table of settings, and what is made from it.
struct SettingTableTests {
  @Test func `every setting has a place, and no two have the same`() {
    let all = SettingTable.all
    #expect(all.count > 45)
    #expect(Mirror(reflecting: SettingTable.shared).children.count == all.count)
    for names in [all.map(\.name), all.compactMap { $0.flag?.name }, all.compactMap(\.path)] {
      #expect(Set(names).count == names.count)
      #expect(!names.contains(""))
    }
  }

  @Test func `every setting says what it does in one sentence`() {
    for setting in SettingTable.all {
      #expect(setting.row.sentence.hasSuffix("."), "\(setting.name)")
      #expect(
        !setting.row.sentence.contains("\n") && setting.row.sentence.count <= 100, "\(setting.name)"
      )
      #expect(!setting.row.standard.isEmpty, "\(setting.name)")
    }
  }

  @Test func `the page has a row for each setting, in the order of help, with its default`() {
    let names = SettingRow.page.split(separator: "\n## Schema files")[0].split(separator: "\n")
      .compactMap { line -> String? in
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        guard cells.count > 5, let name = cells[cells.count > 7 ? 3 : 2].firstMatch(of: /`(.+)`/)
        else { return line.firstMatch(of: /^\| `(--[a-z-]+)/).map { String($0.1) } }
        return String(name.1)
      }
    let all = SettingTopic.allCases.flatMap { topic in
      SettingTable.all.filter { $0.topic == topic }
    }
    #expect(names == all.map(\.name))
    // Of these the page has words for what follows from other settings, or from the machine.
    let described: Set = [
      "--pipeline", "version", "inputs", "--files-from", "schema", "--date", "expect", "tests",
      "apps", "--environment", "trust.anchors", "trust.receiptAnchors", "keys",
      "detect.challengeTTL", "severity", "refuse", "limits.memory", "limits.jobs", "limits.tempDir",
      "report.out", "report.formats", "accept",
    ]
    for setting in all where !described.contains(setting.name) {
      let shown = setting.shown(in: .standard).joined(separator: ", ")
      #expect(shown == setting.row.standard, "\(setting.name)")
    }
  }

  @Test func `a default is a value that the setting takes`() throws {
    let substitution = Substitution(date: "2026-03-01")
    for setting in SettingTable.all {
      guard let flag = setting.flag, case .words(let words) = setting.completion else { continue }
      #expect(words.contains(setting.row.standard), "\(setting.name)")
      #expect(SettingRow.page.contains("| one of \(words.joined(separator: ", ")) |"))
      for word in words {
        var layer = SettingsLayer()
        try setting.read(
          FlagText(name: flag.name, texts: [word], substitution: substitution), into: &layer)
        var settings = RunSettings.standard
        setting.apply(layer, to: &settings)
        let shown = setting.shown(in: settings)
        #expect(shown == [word] || flag.name == "--environment", "\(setting.name) \(word)")
      }
    }
  }

  @Test(
    arguments: [
      ("--overwrite", "--overwrite", nil, false), ("--out <folder>", "--out", "folder", false),
      ("--app-id <id>...", "--app-id", "id", true),
      ("--schema <name|path>", "--schema", "name|path", false),
    ] as [(FlagForm, String, String?, Bool)])
  func `a flag is written as help shows it`(
    _ flag: FlagForm, _ name: String, _ valueName: String?, _ isRepeatable: Bool
  ) {
    #expect(flag.name == name && flag.valueName == valueName && flag.isRepeatable == isRepeatable)
  }

  @Test func `what flags say wins over a file, and apps replace the environments of others`() {
    var file = SettingsLayer()
    file.jobs = 3
    file.counterGap = 5
    file.environments = [.development]
    var flags = SettingsLayer()
    flags.jobs = 0
    flags.apps = []
    let both = flags.over(file)
    #expect(both.jobs == 0 && both.counterGap == 5 && both.environments == nil)
    #expect(file.over(SettingsLayer()).jobs == 3)
    flags.jobs = nil
    #expect(flags.over(file).jobs == 3)
  }

  @Test func `the JSON Schema of pipeline files has the names of the table, and no others`() throws
  {
    let properties = try Self.members(of: "pipeline", at: ["properties"])
    let sections = Dictionary(grouping: SettingTable.all.compactMap(\.path)) { path in
      String(path.prefix { $0 != "." })
    }
    #expect(Set(properties.keys) == Set(sections.keys))
    for (name, paths) in sections where paths != [name] {
      let section = try #require(properties[name] as? [String: Any])
      let names = (section["properties"] as? [String: Any])?.keys.map { "\(name).\($0)" }
      #expect(Set(names ?? []) == Set(paths), "\(name)")
    }
  }

  @Test(arguments: [
    (["properties"], SchemaLanguage.file), (["$defs", "rule", "properties"], SchemaLanguage.rule),
    (["$defs", "condition", "properties"], SchemaLanguage.condition),
    (["$defs", "unwrap", "properties"], SchemaLanguage.unwrap),
  ])
  func `the JSON Schema of schema files has the keys of the language, and no others`(
    _ path: [String], _ names: [String]
  ) throws {
    let properties = try Self.members(of: "schema", at: path)
    #expect(Set(properties.keys) == Set(names))
  }

  @Test func `the JSON Schema of schema files has every field of a record`() throws {
    let fields = try Self.members(of: "schema", at: ["$defs", "fields", "properties"])
    #expect(Set(fields.keys) == Set(LogField.allCases.map(\.name)))
  }

  /// Returns an object within a file of `pipelines/schemas/json`.
  private static func members(of name: String, at path: [String]) throws -> [String: Any] {
    let file = "\(Repository.root)/pipelines/schemas/json/\(name).schema.json"
    var value: Any = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(filePath: file)))
    for step in path { value = try #require((value as? [String: Any])?[step], "\(step)") }
    return try #require(value as? [String: Any])
  }

  @Test func `a key of another section is told with its place`() throws {
    let context = PipelineNode.Context(file: "p.yaml")
    for (text, key, place) in [
      ("detect: {memory: 1GiB}", "memory' in 'detect", "limits.memory"),
      ("challengeTTL: 1d", "challengeTTL", "detect.challengeTTL"),
      ("limits: {keys: k.csv}", "keys' in 'limits", "keys"),
    ] {
      let root = try YAMLFile.read(text, context: context)
      #expect(
        throws: CommandError(
          .invalidFile, "p.yaml:1: unknown key '\(key)'", hint: "did you mean '\(place)'?")
      ) {
        try PipelineFile.read(root, NamedPath(path: "p.yaml", origin: "p.yaml"))
      }
    }
  }

  // detection.R47.
  @Test func `required challenges expire after a day unless a time is set`() throws {
    for (ttl, expected) in [(nil, 86_400_000), (300_000, 300_000)] as [(Int64?, Int64)] {
      var layer = SettingsLayer()
      layer.challengesRequired = true
      layer.challengeTTL = ttl
      let settings = try SettingsResolver(layer: layer, environment: [:], day: "").resolve()
      #expect(settings.configuration.detection.challengeLimit == expected)
      let shown = SettingTable.shared.challengeTTL.shown(in: settings)
      #expect(shown == [ttl == nil ? "1d" : "5m"])
      #expect(settings.configuration.detection.rejectedRetry == 600_000)
    }
    let plain = try SettingsResolver(layer: SettingsLayer(), environment: [:], day: "").resolve()
    #expect(plain.configuration.detection.challengeLimit == nil)
  }

  @Test func `what a report keeps of the settings is read back, whatever they are`() throws {
    let text = """
      apps:
        - {id: A.b, environments: [development], categories: [os], bundleVersions: [">=7.1"],
           codeHashes: [0707070707070707070707070707070707070707], requires: [codeHash]}
      trust: {receipts: parse, macOSAccessControl: ignore}
      detect:
        {reorderTolerance: 1500ms, retryTolerance: 2s, rejectedRetry: 3s, replayScope: exact,
         identicalRecords: duplicate, counterGap: 7, challenges: required, challengeTTL: 5m,
         attestationMaxAge: 2d}
      severity: {counter.gap: low, replay.retry: high}
      limits: {lineBytes: 1MiB, zstdWindowBytes: 64MiB}
      """
    for text in ["{}", text] {
      let root = try YAMLFile.read(
        text,
        context: PipelineNode.Context(file: "p.yaml"))
      let layer = try PipelineFile.read(root, NamedPath(path: "p.yaml", origin: "p.yaml"))
      let settings = try SettingsResolver(layer: layer, environment: [:], day: "").resolve()
      let again = try RunSettings(settings.recorded, environment: [:])
      #expect(again.recorded == settings.recorded)
      for setting in SettingTable.all where setting.decides {
        #expect(setting.shown(in: again) == setting.shown(in: settings), "\(setting.name)")
      }
    }
  }

  @Test func `colours follow the choice, the terminal and its environment (reports.R51)`() {
    for (choice, isTerminal, environment, isOn) in [
      (.auto, true, [:], true), (.auto, false, [:], false), (.auto, true, ["NO_COLOR": "1"], false),
      (.auto, true, ["NO_COLOR": ""], true), (.auto, true, ["TERM": "dumb"], false),
      (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true), (.never, true, [:], false),
    ] as [(ColorChoice, Bool, [String: String], Bool)] {
      #expect(choice.isOn(isTerminal: isTerminal, environment: environment) == isOn)
    }
  }
}

struct NearestNameTests {
  @Test(
    arguments: [
      ("inptus", "inputs"), ("Inputs", "inputs"), ("recipts", "receipts"), ("out", "out"),
      ("zzzzzz", nil), ("", nil),
    ] as [(String, String?)])
  func `the nearest name is found if it is near`(_ typed: String, _ name: String?) {
    #expect(NearestName.of(typed, among: ["inputs", "receipts", "out"]) == name)
  }

  @Test func `a name of any length is compared`() {
    #expect(NearestName.of(String(repeating: "x", count: 1_000_000), among: ["inputs"]) == nil)
  }
}

struct CommandErrorTests {
  @Test func `a message stays one line of bounded length, whatever it repeats`() {
    let value = String(repeating: "x", count: 1_000_000)
    let error = CommandError(.usage, "pipeline.yaml:4: '\(value)' is no number")
    #expect(error.message.unicodeScalars.count == 2_000)
    #expect(error.message.hasPrefix("pipeline.yaml:4: 'xxx"))
    #expect(error.message.contains("x…x"))
    #expect(error.message.hasSuffix("x' is no number"))
    #expect(error.ofFile("pipeline.yaml").message.unicodeScalars.count == 2_000)
    let escaped = CommandError(.usage, String(repeating: "\n", count: 1_000_000)).message
    #expect(escaped.unicodeScalars.count == 2_000 && !escaped.contains("\n"))
  }

  @Test(arguments: [0, 1, 1_999, 2_000])
  func `a message that is not too long stays as it is`(_ length: Int) {
    let text = String(repeating: "ä", count: length)
    #expect(CommandError(.usage, text).message == text)
  }
}
