/// The mistakes of a file, which are reported together.
struct Mistakes {
  private var errors: [CommandError] = []

  var isEmpty: Bool { errors.isEmpty }

  mutating func append(_ error: CommandError) { errors.append(error) }

  /// Returns what `body` returns, or nil after keeping its error.
  mutating func attempt<Value>(_ body: () throws(CommandError) -> Value) -> Value? {
    do throws(CommandError) { return try body() } catch {
      errors.append(error)
      return nil
    }
  }

  /// Throws the mistakes as one error, in the order of their lines, if there are any.
  func check() throws(CommandError) {
    var all = errors.flatMap { error in
      var single = error
      single.earlier = []
      return error.earlier + [single]
    }
    // Sorting keeps the order of errors of one line.
    all = all.enumerated().sorted { left, right in
      (left.element.line ?? 0, left.offset) < (right.element.line ?? 0, right.offset)
    }.map(\.element)
    guard var last = all.popLast() else { return }
    last.earlier = all
    throw last
  }
}
