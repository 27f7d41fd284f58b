package import Yams

/// A value of a pipeline or schema file, with the name of its key and its line for messages.
package struct PipelineNode {
  package struct Context {
    package var file: String
    package var substitution: Substitution

    package init(file: String, substitution: Substitution = Substitution()) {
      self.file = file
      self.substitution = substitution
    }

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

  func require(
    _ isMet: Bool, _ text: @autoclosure () -> String, hint: String? = nil
  ) throws(CommandError) {
    guard isMet else { throw error(text(), hint: hint) }
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
    guard let mapping = node.mapping else {
      // An empty file has no members.
      if key.isEmpty, isNull { return [:] }
      mistakes.append(error("a mapping is needed, not \(kind)"))
      return [:]
    }
    var members: [String: PipelineNode] = [:]
    for (keyNode, value) in mapping {
      let keyLine = max(1, keyNode.mark?.line ?? line)
      // That keys are words was checked before nodes were made.
      let name = keyNode.scalar?.string ?? ""
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

  func needed(
    _ name: String, of members: [String: PipelineNode], _ text: String, hint: String? = nil
  ) throws(CommandError) -> PipelineNode {
    guard let member = members[name] else { throw error(text, hint: hint) }
    return member
  }

  /// Returns the one of some members of the mapping that is given, or nil if none is.
  func choice(
    of names: [String], _ members: [String: PipelineNode]
  ) throws(CommandError) -> (name: String, value: PipelineNode)? {
    let given = names.filter { members[$0] != nil }
    guard given.count < 2 else { throw error("'\(given[0])' and '\(given[1])' exclude each other") }
    return given.first.flatMap { name in members[name].map { (name, $0) } }
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

  package func elements() throws(CommandError) -> [PipelineNode] {
    guard let sequence = node.sequence else { throw error("a list is needed, not \(kind)") }
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
    let text = try verbatim()
    do throws(Substitution.Problem) {
      return try context.substitution.apply(text)
    } catch let problem {
      throw error(problem.text, hint: problem.hint)
    }
  }

  /// Returns the text of a scalar unchanged. Nothing is filled in.
  package func verbatim() throws(CommandError) -> String {
    guard let scalar = node.scalar, !isNull else {
      throw error("a single value is needed, not \(kind)")
    }
    return Substitution.show(in: scalar.string)
  }

  /// Returns a mapping in YAML, filled in, without the member `left` and with `name`, or nil.
  package func yaml(without left: String, naming name: String) -> String? {
    guard var mapping = node.mapping else { return nil }
    mapping[Node(left, Tag(.str))] = nil
    mapping[Node("name", Tag(.str))] = Node(name, Tag(.str))
    return (try? filled(.mapping(mapping))).flatMap {
      try? Yams.serialize(node: $0, width: -1, allowUnicode: true)
    }
  }

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
    guard let mapping = node.mapping else { throw error("a mapping is needed, not \(kind)") }
    return mapping.map { keyNode, value in
      let name = Substitution.show(in: keyNode.scalar?.string ?? "")
      return (name, PipelineNode(node: value, key: "\(key).\(name)", context: context))
    }
  }

  /// Returns whether the mapping has one of these keys. Returns false for any other value.
  package func hasKey(_ names: [String]) -> Bool {
    node.mapping?.contains { names.contains($0.key.scalar?.string ?? "") } ?? false
  }

  package func value<Value>(_ format: SettingFormat<Value>) throws(CommandError) -> Value {
    let text = try text()
    guard let value = format.parse(text) else { throw error(format.fault(text)) }
    return value
  }

  package func values<Value>(_ format: SettingFormat<Value>) throws(CommandError) -> [Value] {
    try elements { (element) throws(CommandError) in try element.value(format) }
  }

  package var isScalar: Bool { node.scalar != nil }

  package var isList: Bool { node.sequence != nil }

  /// Whether there is no value: nothing, `~` or `null`.
  var isNull: Bool {
    guard let scalar = node.scalar, [.plain, .any].contains(scalar.style) else { return false }
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
