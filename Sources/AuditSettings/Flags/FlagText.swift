/// The words that were typed after a flag, however often it was given.
package struct FlagText: Sendable {
  /// The flag with its dashes.
  let name: String
  let texts: [String]
  /// The text that replaces `${…}` in a schema file that the flag names.
  let substitution: Substitution

  /// Returns the value of a text. Throws bad usage for a text that is not allowed.
  func value<Value>(
    _ format: SettingFormat<Value>, of text: String
  ) throws(CommandError) -> Value {
    switch format.read(text) {
    case .success(let value): return value
    case .failure(let complaint): throw CommandError(.usage, "\(name): \(complaint.text)")
    }
  }
}
