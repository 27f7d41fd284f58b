import ArgumentParser
import AuditSettings

/// The flags of `audit` that say what is read and how it is judged: for commands that write no report.
struct LogFlags: ParsableArguments {
  @Argument(help: "Files, folders, globs, or - for standard input.")
  var inputs: [String] = []

  @OptionGroup(title: InputTopic.topic.title) private var input: TopicFlags<InputTopic>
  @OptionGroup(title: TrustTopic.topic.title) private var trust: TopicFlags<TrustTopic>
  @OptionGroup(title: DetectionTopic.topic.title) private var detection: TopicFlags<DetectionTopic>
  @OptionGroup(title: StateTopic.topic.title) private var state: TopicFlags<StateTopic>
  @OptionGroup(title: LimitsTopic.topic.title) private var limits: TopicFlags<LimitsTopic>

  /// Everything that was typed.
  var typed: TypedFlags {
    let topics = [input.texts, trust.texts, detection.texts, state.texts, limits.texts]
    return TypedFlags(
      inputs: inputs, texts: topics.reduce(into: [:]) { $0.merge($1) { _, new in new } })
  }
}
