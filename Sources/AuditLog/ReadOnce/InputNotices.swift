/// The notices about inputs that are not read as they are.
enum InputNotices {
  private static let nameLimit = 3

  /// Returns the notices about whole inputs, one for each kind.
  static func lines(_ sources: [LogSource]) -> [String] {
    func named(_ isMeant: (LogSource) -> Bool) -> [String] { sources.filter(isMeant).map(\.name) }
    return [
      line(
        named { $0.origin == .known }, "has not changed since an earlier run read it",
        "have not changed since earlier runs read them"),
      line(
        named { $0.origin == .waiting },
        "was rewritten while it was examined: a later run reads it",
        "were rewritten while they were examined: a later run reads them"),
      line(
        named { $0.part?.isOpen ?? false },
        "was changed recently: an unfinished last line is left to a later run",
        "were changed recently: unfinished last lines are left to later runs"),
    ].compactMap(\.self)
  }

  /// Returns the notice about lines that were read before, in the inputs `others`, or nil if none were.
  static func line(
    _ name: String, readBefore count: Int, of total: Int, in others: [String]
  ) -> String? {
    guard count > 0 else { return nil }
    let lines =
      count == total
      ? (count == 1 ? "its line" : "all \(count) lines") : "\(count) of \(total) lines"
    let verb = count == 1 ? "was" : "were"
    let places = others.isEmpty ? "" : ", in " + list(others)
    return "\(name): \(lines) \(verb) read before\(places)"
  }

  /// Returns `a`, or `2 inputs`, the words about it or them, and their names, or nil if there are no inputs.
  private static func line(_ names: [String], _ one: String, _ many: String) -> String? {
    guard let first = names.first else { return nil }
    guard names.count > 1 else { return "\(first) \(one)" }
    return "\(names.count) inputs \(many): " + list(names)
  }

  private static func list(_ names: [String]) -> String {
    let more = names.count - nameLimit
    return names.prefix(nameLimit).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
