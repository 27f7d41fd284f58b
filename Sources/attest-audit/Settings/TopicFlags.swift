import ArgumentParser
import AuditSettings

/// The flags of one topic, made from the table of settings.
///
/// ArgumentParser finds a type's flags in its mirror, where they stand as property wrappers, and hands
/// their values to `init(from:)` by the labels of the mirror's children. This type's mirror is made
/// from the table, so that no flag is declared anywhere else. It stands in a command itself, in no
/// group: a debug build checks what stands in a group anew for each of the groups around it.
struct TopicFlags<Topic: FlagTopic>: ParsableArguments, CustomReflectable {
  /// The texts behind the flags that were given, by their names with the dashes.
  private(set) var texts: [String: [String]] = [:]

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The settings of the topic that have a flag.
  private static var settings: [(flag: FlagForm, setting: any AnySetting)] {
    SettingTable.all.filter { $0.topic == Topic.topic }.compactMap { setting in
      setting.flag.map { ($0, setting) }
    }
  }

  init() {}

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    for (flag, _) in Self.settings {
      let key = Key(stringValue: Self.label(of: flag))
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
    Mirror(
      self,
      children: Self.settings.map { flag, setting in
        (label: Self.label(of: flag), value: Self.wrapper(of: flag, setting))
      })
  }

  /// Returns the flag without its dashes.
  private static func label(of flag: FlagForm) -> String { String(flag.name.drop { $0 == "-" }) }

  /// Returns the property wrapper that declares a flag.
  private static func wrapper(of flag: FlagForm, _ setting: any AnySetting) -> Any {
    let name = NameSpecification.customLong(label(of: flag))
    let help = help(of: flag, setting)
    guard flag.valueName != nil else { return Flag(wrappedValue: false, name: name, help: help) }
    let completion = completion(of: setting.shape)
    return flag.isRepeatable
      ? Option<[String]>(wrappedValue: [], name: name, help: help, completion: completion)
      : Option<String?>(name: name, help: help, completion: completion)
  }

  private static func help(of flag: FlagForm, _ setting: any AnySetting) -> ArgumentHelp {
    let standard = setting.standardText
    // A switch is off, and what is not there need not be said.
    let isTold = flag.valueName != nil && standard != "none"
    return ArgumentHelp(
      "\(setting.sentence)\(isTold ? " (default: \(standard))" : "")",
      valueName: flag.valueName)
  }

  private static func completion(of shape: ValueShape) -> CompletionKind? {
    switch shape {
    case .words(let words): .list(words)
    case .path: .file()
    case .text, .boolean, .duration, .size, .share, .number, .permissions: nil
    }
  }
}

/// A topic as a type: ArgumentParser makes the flags of a group from its type alone.
protocol FlagTopic {
  static var topic: SettingTopic { get }
}

enum InputTopic: FlagTopic { static let topic = SettingTopic.input }
enum TrustTopic: FlagTopic { static let topic = SettingTopic.trust }
enum DetectionTopic: FlagTopic { static let topic = SettingTopic.detection }
enum ReportTopic: FlagTopic { static let topic = SettingTopic.report }
enum StateTopic: FlagTopic { static let topic = SettingTopic.state }
enum LimitsTopic: FlagTopic { static let topic = SettingTopic.limits }
