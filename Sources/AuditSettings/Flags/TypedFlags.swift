/// The flags of `audit` as they were typed: texts that are not yet parsed.
package struct TypedFlags: Sendable, Equatable {
  /// Files, folders, globs, or `-`, which are given without a flag.
  package var inputs: [String]
  /// The texts after each flag, by its name with the dashes. A flag without a value has the text
  /// `true`.
  package var texts: [String: [String]]

  package init(inputs: [String] = [], texts: [String: [String]] = [:]) {
    self.inputs = inputs
    self.texts = texts
  }
  /// Makes the flags of some topics. Each flag is in one of them.
  package init(inputs: [String], topics: [[String: [String]]]) {
    self.init(
      inputs: inputs, texts: topics.reduce(into: [:]) { $0.merge($1) { _, new in new } })
  }
}
