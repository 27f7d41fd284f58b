internal import Yams

package enum YAMLFile {
  private static let sizeLimit = 1 << 20

  /// Returns the contents of the file. An empty file is a value that is nothing.
  package static func read(
    _ path: NamedPath, substitution: Substitution
  ) throws(CommandError) -> PipelineNode {
    let bytes = try path.read(limit: sizeLimit)
    let context = PipelineNode.Context(file: path.path, substitution: substitution)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw context.error(1, "the file is not UTF-8")
    }
    // A byte order mark in front is no part of the text.
    let isMarked = text.unicodeScalars.first == "\u{FEFF}"
    return try read(isMarked ? String(text.unicodeScalars.dropFirst()) : text, context: context)
  }

  package static func read(
    _ text: String, context: PipelineNode.Context
  ) throws(CommandError) -> PipelineNode {
    guard let hidden = Substitution.hide(in: text) else {
      throw context.error(1, "the file contains the private-use characters U+E000 or U+E001")
    }
    do throws(YAMLShape.Problem) { try YAMLShape.check(hidden) } catch {
      throw context.error(error.line, error.text)
    }
    do {
      // The readers of settings know the types of their values, and need no tags.
      let node = try Yams.compose(yaml: hidden, .basic) ?? Node("")
      return PipelineNode(node: node, key: "", context: context)
    } catch let error as YamlError {
      throw describe(error, hidden, context)
    } catch {
      throw context.error(1, "not YAML")
    }
  }

  private static func describe(
    _ error: YamlError, _ text: String, _ context: PipelineNode.Context
  ) -> CommandError {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let hasTab = lines.indices.contains(mark.line - 1) && lines[mark.line - 1].contains("\t")
      return context.error(
        mark.line, "not YAML: \(problem)" + (hasTab ? "; indent with spaces, not with tabs" : ""),
        hint: "check the indentation, quotes and brackets of line \(mark.line) and above it")
    case .reader(let problem, let offset, _, let yaml):
      let before = yaml.unicodeScalars.prefix(offset ?? 0)
      return context.error(before.count { $0 == "\n" } + 1, "not YAML: \(problem)")
    case .duplicatedKeysInMapping(let keys, let place):
      return context.error(
        place.mark.line, "the key '\(Substitution.show(in: keys.first ?? ""))' occurs twice")
    default: return context.error(1, "not YAML")
    }
  }
}

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
    try CommandError.throwAll(all)
  }
}
