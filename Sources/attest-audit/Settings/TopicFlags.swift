import ArgumentParser
import AuditSettings

/// The flags of all settings. `Report` is ``NoTopic`` for a command that writes no report of an audit.
struct SettingFlags<Report: FlagTopic>: ParsableArguments {
  @OptionGroup(title: InputTopic.title) private var input: TopicFlags<InputTopic>
  @OptionGroup(title: TrustTopic.title) private var trust: TopicFlags<TrustTopic>
  @OptionGroup(title: DetectionTopic.title) private var detection: TopicFlags<DetectionTopic>
  @OptionGroup(title: Report.title) private var report: TopicFlags<Report>
  @OptionGroup(title: StateTopic.title) private var state: TopicFlags<StateTopic>
  @OptionGroup(title: LimitsTopic.title) private var limits: TopicFlags<LimitsTopic>

  /// Whether a flag names inputs, or how they are found.
  var nameInputs: Bool { !input.texts.isEmpty }

  func typed(_ inputs: [String]) -> TypedFlags {
    let topics = [
      input.texts, trust.texts, detection.texts, report.texts, state.texts, limits.texts,
    ]
    return TypedFlags(
      inputs: inputs, texts: topics.reduce(into: [:]) { $0.merge($1) { _, new in new } })
  }
}

/// The flags of one topic, made from the table of settings: ArgumentParser finds a type's flags as
/// property wrappers in its mirror, and hands values to `init(from:)` by the mirror's labels.
struct TopicFlags<Topic: FlagTopic>: ParsableArguments, CustomReflectable {
  /// The texts after the flags that were given, by their names with the dashes.
  private(set) var texts: [String: [String]] = [:]

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init() {}

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    for flag in Self.declarations.map(\.flag) {
      let key = Key(stringValue: flag.label)
      if flag.valueName == nil {
        if try values.decode(Flag<Bool>.self, forKey: key).wrappedValue {
          texts[flag.name] = ["true"]
        }
      } else if flag.isRepeatable {
        let given = try values.decode(Option<[String]>.self, forKey: key).wrappedValue
        if !given.isEmpty { texts[flag.name] = given }
      } else if let given = try values.decode(Option<String?>.self, forKey: key).wrappedValue {
        texts[flag.name] = [given]
      }
    }
  }

  var customMirror: Mirror {
    Mirror(self, children: Self.declarations.map { (label: $0.flag.label, value: $0.wrapper) })
  }

  private static var declarations: [FlagDeclaration] {
    Topic.topic.flatMap { FlagDeclaration.declared[$0] } ?? []
  }
}

/// A flag in the form in which ArgumentParser wants it declared.
struct FlagDeclaration {
  fileprivate let flag: FlagForm
  fileprivate let wrapper: Any

  /// The flags of each topic that are declared. ArgumentParser asks for them again and again.
  fileprivate static var declared: [SettingTopic: [FlagDeclaration]] { unsafe given ?? all }

  nonisolated(unsafe) private static let all = made { _ in true }
  /// The flags among the arguments that are parsed, or nil. Only one thread parses.
  nonisolated(unsafe) private static var given: [SettingTopic: [FlagDeclaration]]?

  /// Parses with only those flags declared that are among the arguments.
  static func declaringOnly<Parsed>(_ arguments: [String], parse: () -> Parsed) -> Parsed {
    unsafe given = made { name in arguments.contains { $0 == name || $0.hasPrefix(name + "=") } }
    defer { unsafe given = nil }
    return parse()
  }

  private static func made(where isDeclared: (String) -> Bool) -> [SettingTopic: [FlagDeclaration]]
  {
    var made: [SettingTopic: [FlagDeclaration]] = [:]
    for setting in SettingTable.all {
      guard let flag = setting.flag, isDeclared(flag.name) else { continue }
      made[setting.topic, default: []].append(FlagDeclaration(flag, setting))
    }
    return made
  }

  private init(_ flag: FlagForm, _ setting: any AnySetting) {
    self.flag = flag
    let name = NameSpecification.customLong(flag.label)
    let help = Self.help(of: flag, setting)
    let completion: CompletionKind? =
      switch setting.completion {
      case .words(let words): .list(words)
      case .path: .file()
      case nil: flag.name == "--schema" ? .list(ShippedSchemas.names) : nil
      }
    wrapper =
      if flag.valueName == nil {
        Flag(wrappedValue: false, name: name, help: help)
      } else if flag.isRepeatable {
        Option<[String]>(wrappedValue: [], name: name, help: help, completion: completion)
      } else {
        Option<String?>(name: name, help: help, completion: completion)
      }
  }

  private static func help(of flag: FlagForm, _ setting: any AnySetting) -> ArgumentHelp {
    let standard = setting.row.standard
    // A switch is off by default, and an absent default need not be shown.
    let isTold = flag.valueName != nil && standard != "none"
    return ArgumentHelp(
      "\(setting.row.sentence)\(isTold ? " (default: \(standard))" : "")",
      valueName: flag.valueName)
  }
}

extension FlagForm {
  fileprivate var label: String { String(name.drop { $0 == "-" }) }
}

/// A topic as a type: ArgumentParser makes the flags of a group from its type alone.
protocol FlagTopic {
  static var topic: SettingTopic? { get }
}

extension FlagTopic {
  static var title: String { topic?.rawValue ?? "" }
}

enum InputTopic: FlagTopic { static let topic: SettingTopic? = .input }
enum TrustTopic: FlagTopic { static let topic: SettingTopic? = .trust }
enum DetectionTopic: FlagTopic { static let topic: SettingTopic? = .detection }
enum ReportTopic: FlagTopic { static let topic: SettingTopic? = .report }
enum StateTopic: FlagTopic { static let topic: SettingTopic? = .state }
enum LimitsTopic: FlagTopic { static let topic: SettingTopic? = .limits }
enum NoTopic: FlagTopic { static let topic: SettingTopic? = nil }

extension CommandConfiguration {
  static func named(
    _ name: String, _ abstract: String, _ discussion: String = "", shouldDisplay: Bool = true
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: name, _superCommandName: CommandName.program, abstract: abstract,
      discussion: discussion, shouldDisplay: shouldDisplay)
  }
}

extension ArgumentHelp {
  static func of(_ value: String, _ text: String) -> ArgumentHelp {
    ArgumentHelp(text, valueName: value)
  }
}
