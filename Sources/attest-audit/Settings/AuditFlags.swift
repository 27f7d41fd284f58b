import ArgumentParser
import AuditSettings

/// The flags of `audit` as they were typed, topic by topic.
struct AuditFlags: ParsableArguments {
  @Argument(help: "Files, folders, globs, or - for standard input.")
  var inputs: [String] = []

  @OptionGroup(title: InputTopic.topic.title) private var input: TopicFlags<InputTopic>
  @OptionGroup(title: TrustTopic.topic.title) private var trust: TopicFlags<TrustTopic>
  @OptionGroup(title: DetectionTopic.topic.title) private var detection: TopicFlags<DetectionTopic>
  @OptionGroup(title: ReportTopic.topic.title) private var report: TopicFlags<ReportTopic>
  @OptionGroup(title: StateTopic.topic.title) private var state: TopicFlags<StateTopic>
  @OptionGroup(title: LimitsTopic.topic.title) private var limits: TopicFlags<LimitsTopic>

  /// Everything that was typed.
  var typed: TypedFlags {
    let topics = [
      input.texts, trust.texts, detection.texts, report.texts, state.texts, limits.texts,
    ]
    return TypedFlags(
      inputs: inputs, texts: topics.reduce(into: [:]) { $0.merge($1) { _, new in new } })
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
