/// The flags of `audit` as they were typed: texts, not yet looked at.
package struct TypedFlags: Sendable, Equatable {
  /// Files, folders, globs, or `-`, which stand there without a flag.
  package var inputs: [String]
  /// The texts behind each flag, by its name with the dashes; behind one without a value stands
  /// `true`.
  package var texts: [String: [String]]

  package init(inputs: [String] = [], texts: [String: [String]] = [:]) {
    self.inputs = inputs
    self.texts = texts
  }
  /// The flags of some topics, each in one of them.
  package init(inputs: [String], topics: [[String: [String]]]) {
    self.init(
      inputs: inputs, texts: topics.reduce(into: [:]) { $0.merge($1) { _, new in new } })
  }
}
