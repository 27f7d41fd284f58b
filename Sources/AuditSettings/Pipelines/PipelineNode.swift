package import Yams

/// A value of a pipeline or schema file, with the name of its key and its line for messages.
package struct PipelineNode {
  /// The facts that all values of a file share.
  package struct Context {
    /// The file as the user named it.
    package var file: String
    package var substitution: Substitution

    package init(file: String, substitution: Substitution = Substitution()) {
      self.file = file
      self.substitution = substitution
    }

    /// Returns an error at a line of the file.
    package func error(_ line: Int, _ text: String, hint: String? = nil) -> CommandError {
      var error = CommandError(.invalidFile, "\(file):\(line): \(text)", hint: hint)
      error.line = line
      return error
    }
  }

  package let node: Node
  /// The key with those around it, such as `detect.replayScope`, or empty for the whole file.
  package let key: String
  package let context: Context

  package var line: Int { max(1, node.mark?.line ?? 1) }

  /// Returns an error at this value's line, after its key.
  package func error(_ text: String, hint: String? = nil) -> CommandError {
    context.error(line, key.isEmpty ? text : "\(key): \(text)", hint: hint)
  }

  /// The place of the value, such as `nightly.yaml:12`.
  package var origin: String { "\(context.file):\(line)" }

  /// Returns the members of a mapping whose keys are all among `names`. Members without a value are
  /// left out. For an unknown key, `elsewhere` returns the place where that key is known.
  package func members(
    _ names: [String], elsewhere: (String) -> String? = { _ in nil }
  ) throws(CommandError) -> [String: PipelineNode] {
    var mistakes = Mistakes()
    let members = members(names, elsewhere: elsewhere, &mistakes)
    try mistakes.check()
    return members
  }

  /// Returns the members in the same way, and appends the mistakes.
  func members(
    _ names: [String], elsewhere: (String) -> String? = { _ in nil }, _ mistakes: inout Mistakes
  ) -> [String: PipelineNode] {
    guard case .mapping(let mapping) = node else {
      mistakes.append(error("a mapping is needed, not \(kind)"))
      return [:]
    }
    var members: [String: PipelineNode] = [:]
    for (keyNode, value) in mapping {
      let keyLine = max(1, keyNode.mark?.line ?? line)
      guard case .scalar(let scalar) = keyNode else {
        mistakes.append(context.error(keyLine, "a key has to be a word"))
        continue
      }
      let name = scalar.string
      guard names.contains(name) else {
        let place = key.isEmpty ? "" : " in '\(key)'"
        let nearest = NearestName.of(name, among: names) ?? elsewhere(name)
        mistakes.append(
          context.error(
            keyLine, "unknown key '\(Substitution.show(in: name))'\(place)",
            hint: nearest.map { "did you mean '\($0)'?" }
              ?? "use one of: \(names.joined(separator: ", "))"))
        continue
      }
      let child = PipelineNode(
        node: value, key: key.isEmpty ? name : "\(key).\(name)", context: context)
      if !child.isNull { members[name] = child }
    }
    return members
  }

  /// Returns what `read` returns for each element of a list. All mistakes are reported together.
  func elements<Value>(
    _ read: (PipelineNode) throws(CommandError) -> Value
  ) throws(CommandError) -> [Value] {
    var mistakes = Mistakes()
    var values: [Value] = []
    for element in try elements() {
      let value = mistakes.attempt { () throws(CommandError) in try read(element) }
      if let value { values.append(value) }
    }
    try mistakes.check()
    return values
  }

  /// Returns the elements of a list.
  package func elements() throws(CommandError) -> [PipelineNode] {
    guard case .sequence(let sequence) = node else {
      throw error("a list is needed, not \(kind)")
    }
    return sequence.map { PipelineNode(node: $0, key: key, context: context) }
  }

  /// Returns what `read` returns for each element of a list that is not empty, or for a single value.
  func list<Value>(
    of what: String, _ read: (PipelineNode) throws(CommandError) -> Value
  ) throws(CommandError) -> [Value] {
    var values: [Value] = []
    for element in isList ? try elements() : [self] { values.append(try read(element)) }
    guard !values.isEmpty else { throw error("a list of \(what) is empty") }
    return values
  }

  /// Returns the text of a scalar, with `${…}` filled in.
  package func text() throws(CommandError) -> String {
    guard case .scalar(let scalar) = node, !isNull else {
      throw error("a single value is needed, not \(kind)")
    }
    do throws(Substitution.Problem) {
      return try context.substitution.apply(Substitution.show(in: scalar.string))
    } catch let problem {
      throw error(problem.text, hint: problem.hint)
    }
  }

  /// Returns the text of a scalar unchanged. Nothing is filled in.
  package func verbatim() throws(CommandError) -> String {
    guard case .scalar(let scalar) = node, !isNull else {
      throw error("a single value is needed, not \(kind)")
    }
    return Substitution.show(in: scalar.string)
  }

  /// Returns a mapping in YAML, filled in, without the member `left` and with `name`, or nil.
  package func yaml(without left: String, naming name: String) -> String? {
    guard case .mapping(var mapping) = node else { return nil }
    mapping[Node(left, Tag(.str))] = nil
    mapping[Node("name", Tag(.str))] = Node(name, Tag(.str))
    return (try? filled(.mapping(mapping))).flatMap {
      try? Yams.serialize(node: $0, width: -1, allowUnicode: true)
    }
  }

  /// Returns a node whose texts are filled in.
  private func filled(_ node: Node) throws(Substitution.Problem) -> Node {
    switch node {
    case .scalar(var scalar):
      scalar.string = try context.substitution.apply(Substitution.show(in: scalar.string))
      return .scalar(scalar)
    case .sequence(var sequence):
      for index in sequence.indices { sequence[index] = try filled(sequence[index]) }
      return .sequence(sequence)
    case .mapping(let mapping):
      var pairs: [(Node, Node)] = []
      for (key, value) in mapping { pairs.append((try filled(key), try filled(value))) }
      return .mapping(Node.Mapping(pairs, mapping.tag, mapping.style))
    default: return node
    }
  }

  /// Returns the entries of a mapping with keys of its own, in their order.
  package func entries() throws(CommandError) -> [(name: String, value: PipelineNode)] {
    guard case .mapping(let mapping) = node else {
      throw error("a mapping is needed, not \(kind)")
    }
    var entries: [(name: String, value: PipelineNode)] = []
    for (keyNode, value) in mapping {
      guard case .scalar(let scalar) = keyNode else {
        throw context.error(max(1, keyNode.mark?.line ?? line), "a key has to be a word")
      }
      let name = Substitution.show(in: scalar.string)
      entries.append((name, PipelineNode(node: value, key: "\(key).\(name)", context: context)))
    }
    return entries
  }

  /// Returns whether the mapping has one of these keys. Returns false for any other value.
  package func hasKey(_ names: [String]) -> Bool {
    guard case .mapping(let mapping) = node else { return false }
    return mapping.contains { keyNode, _ in
      if case .scalar(let scalar) = keyNode { names.contains(scalar.string) } else { false }
    }
  }

  /// Returns the value of a scalar in a format.
  package func value<Value>(_ format: SettingFormat<Value>) throws(CommandError) -> Value {
    switch format.read(try text()) {
    case .success(let value): return value
    case .failure(let complaint): throw error(complaint.text)
    }
  }

  /// Returns the values of a list in a format.
  package func values<Value>(_ format: SettingFormat<Value>) throws(CommandError) -> [Value] {
    try elements { (element) throws(CommandError) in try element.value(format) }
  }

  package var isScalar: Bool {
    if case .scalar = node { true } else { false }
  }

  package var isList: Bool {
    if case .sequence = node { true } else { false }
  }

  private var isNull: Bool {
    guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any else {
      return false
    }
    return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
  }

  private var kind: String {
    switch node {
    case .scalar: isNull ? "nothing" : "a single value"
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}
