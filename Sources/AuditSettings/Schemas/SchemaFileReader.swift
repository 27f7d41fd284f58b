import AuditEngine
import AuditLog

/// A reader of a schema, from a file of its own or a mapping in a pipeline file.
package struct SchemaFileReader {
  /// The keys that distinguish a schema file from a pipeline file.
  package static let ownKeys = [
    "rules", "fields", "headers", "hash", "prefix", "unwrap", "records",
  ]

  /// Reads a schema. `name` is its name unless it gives one itself.
  package static func read(_ root: PipelineNode, name: String) throws(CommandError) -> SchemaFile {
    let members = try root.members(SchemaLanguage.file.names)
    if let version = members["version"], try version.text() != "1" {
      throw version.error("this program reads version 1")
    }
    guard let ruleList = members["rules"] else {
      throw root.error(
        "a schema needs rules", hint: "write rules: [{kind: assertion, fields: {…}}]")
    }
    var mistakes = Mistakes()
    var shared: [LogField: FieldMapping] = [:]
    if let fields = members["fields"] {
      shared =
        mistakes.attempt { () throws(CommandError) in try FieldMappingReader.readFields(fields) }
        ?? [:]
    }
    var rules: [SchemaRule] = []
    let (usesEachRule, elements) = try readRuleList(ruleList)
    // A rule lacks what it shares with others if that has mistakes.
    let isShared = mistakes.isEmpty
    let read = elements.enumerated().compactMap { index, element in
      let rule = mistakes.attempt { () throws(CommandError) in
        try SchemaRuleReader(shared: shared, isWhole: isShared).read(element, number: index + 1)
      }
      return rule.map { (element, $0) }
    }
    try mistakes.check()
    for (element, rule) in read {
      if let twin = rules.first(where: { $0.name == rule.name }) {
        throw element.error("the rule '\(twin.name)' occurs twice")
      }
      if !usesEachRule, let twin = rules.first(where: { $0.conditions == rule.conditions }) {
        throw element.error(
          "the rules '\(twin.name)' and '\(rule.name)' fit the same lines",
          hint: "write 'rules: {each: true, list: […]}' to make a record with each")
      }
      if !usesEachRule, rule.conditions.isEmpty || rules.contains(where: \.conditions.isEmpty) {
        guard rules.isEmpty else {
          throw element.error(
            "a rule without 'when' fits every line and must be the only rule",
            hint: "add 'when' to each rule to choose its lines")
        }
      }
      rules.append(rule)
    }
    guard !rules.isEmpty else { throw ruleList.error("a schema needs rules") }
    var schema = LogSchema(name: try members["name"]?.value(.text) ?? name, rules: rules)
    schema.usesEachRule = usesEachRule
    if let records = members["records"] { schema.records = try readRecords(records) }
    if let headers = members["headers"] {
      schema.headers = try FieldMappingReader.readPointers(headers)
    }
    if let prefix = members["prefix"] {
      schema.skipsPrefix = try prefix.value(.word([("skip", true)]))
    }
    if let unwrap = members["unwrap"] { schema.wrappings = try readWrappings(unwrap) }
    try PlacesOfHeaders(schema.headers).refuse(in: schema, at: root)
    if let hash = members["hash"] { schema.formation = try hash.value(.cases) }
    let tests = try members["tests"].map { node throws(CommandError) in
      try SchemaTestReader.read(node)
    }
    let scope: ReplayScope? = try members["replayScope"]?.value(.cases)
    do throws(SchemaProblem) {
      return SchemaFile(
        compiled: try CompiledSchema(schema), replayScope: scope, tests: tests ?? [],
        text: root.yaml(without: "tests", naming: schema.name))
    } catch {
      throw root.error(error.text)
    }
  }

  /// Reads a list of rules, or a mapping that says that every rule that fits makes a record.
  private static func readRuleList(
    _ node: PipelineNode
  ) throws(CommandError) -> (usesEach: Bool, rules: [PipelineNode]) {
    if node.isList { return (false, try node.elements()) }
    let members = try node.members(["each", "list"])
    guard let list = members["list"] else {
      throw node.error("rules need a list", hint: "write rules: {each: true, list: [{kind: …}, …]}")
    }
    return (try members["each"]?.value(.boolean) ?? false, try list.elements())
  }

  /// Reads the pointers to arrays of records. An empty text is the line itself.
  private static func readRecords(_ node: PipelineNode) throws(CommandError) -> [JSONPointer?] {
    var records: [JSONPointer?] = []
    for element in node.isList ? try node.elements() : [node] {
      let isLine = try element.verbatim().isEmpty
      let pointer = isLine ? nil : try FieldMappingReader.readPointer(element).local
      guard !records.contains(pointer) else {
        throw element.error("\(pointer?.text ?? "the line itself") is in the list twice")
      }
      if records.contains(nil) {
        throw element.error(
          "the line itself is always present, so nothing after it counts",
          hint: "put '' at the end of the list")
      }
      records.append(pointer)
    }
    guard !records.isEmpty else { throw node.error("a list of pointers is empty") }
    return records
  }

  private static func readWrappings(
    _ node: PipelineNode
  ) throws(CommandError) -> [SchemaWrapping] {
    var wrappings: [SchemaWrapping] = []
    for element in try node.elements() {
      let members = try element.members(SchemaLanguage.unwrap.names)
      guard let pointer = members["pointer"], let from = members["from"] else {
        throw element.error("what is to be unwrapped needs a pointer, and 'from' what")
      }
      let flag = try members["when"].map { node throws(CommandError) in
        try FieldMappingReader.readPointer(node)
      }
      wrappings.append(
        SchemaWrapping(
          try FieldMappingReader.readPointer(pointer), try from.value(.cases), flag: flag))
    }
    guard !wrappings.isEmpty else { throw node.error("a list of what to unwrap is empty") }
    return wrappings
  }
}
