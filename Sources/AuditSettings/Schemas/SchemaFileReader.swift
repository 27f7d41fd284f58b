import AuditEngine
import AuditLog
import Basics

/// A reader of a schema, from a file of its own or a mapping in a pipeline file.
package struct SchemaFileReader {
  /// The keys that distinguish a schema file from a pipeline file.
  package static let ownKeys = [
    "rules", "fields", "headers", "hash", "prefix", "unwrap", "records",
  ]

  /// Reads a schema. `name` is its name unless it gives one itself.
  package static func read(_ root: PipelineNode, name: String) throws(CommandError) -> SchemaFile {
    let members = try root.members(SchemaLanguage.file)
    _ = try members["version"]?.value(SettingFormat<Int>.version)
    let ruleList = try root.needed(
      "rules", of: members, "a schema needs rules",
      hint: "write rules: [{kind: assertion, fields: {…}}]")
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
        try element.require(
          rules.isEmpty, "a rule without 'when' fits every line and must be the only rule",
          hint: "add 'when' to each rule to choose its lines")
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
    let list = try node.needed(
      "list", of: members, "rules need a list",
      hint: "write rules: {each: true, list: [{kind: …}, …]}")
    return (try members["each"]?.value(.boolean) ?? false, try list.elements())
  }

  /// Reads the pointers to arrays of records. An empty text is the line itself.
  private static func readRecords(_ node: PipelineNode) throws(CommandError) -> [JSONPointer?] {
    var records: [JSONPointer?] = []
    return try node.list(of: "pointers") { (element) throws(CommandError) in
      let isLine = try element.verbatim().isEmpty
      let pointer = isLine ? nil : try FieldMappingReader.readPointer(element).local
      try element.require(
        !records.contains(pointer), "\(pointer?.text ?? "the line itself") is in the list twice")
      if records.contains(nil) {
        throw element.error(
          "the line itself is always present, so nothing after it counts",
          hint: "put '' at the end of the list")
      }
      records.append(pointer)
      return pointer
    }
  }

  private static func readWrappings(_ node: PipelineNode) throws(CommandError) -> [SchemaWrapping] {
    _ = try node.elements()
    return try node.list(of: "what to unwrap") { (element) throws(CommandError) in
      let members = try element.members(SchemaLanguage.unwrap)
      guard let pointer = members["pointer"], let from = members["from"] else {
        throw element.error("what is to be unwrapped needs a pointer, and 'from' what")
      }
      let flag = try members["when"].map { node throws(CommandError) in
        try FieldMappingReader.readPointer(node)
      }
      return SchemaWrapping(
        try FieldMappingReader.readPointer(pointer), try from.value(.cases), flag: flag)
    }
  }
}

/// A search for pointers that take a header by its place in a list, which clients choose.
struct PlacesOfHeaders {
  private let headers: [JSONPointer]

  init(_ headers: [JSONPointer]) { self.headers = headers }

  /// Throws if a pointer of the schema takes a header by its place.
  func refuse(in schema: LogSchema, at root: PipelineNode) throws(CommandError) {
    let conditions = schema.rules.flatMap(\.conditions).flatMap(\.pointers)
    let fields = schema.rules.flatMap { rule in
      LogField.allCases.flatMap { rule.fields[$0]?.pointers ?? [] }
    }
    let wrapped = schema.wrappings.flatMap { [$0.pointer, $0.flag].compactMap(\.self) }
    for pointer in conditions + fields + wrapped { try refuse(pointer, at: root) }
  }

  func refuse(_ pointer: JSONPointer, at node: PipelineNode) throws(CommandError) {
    guard let list = list(pointer) else { return }
    throw node.error(
      "the pointer \(pointer.text) takes a header by its place, and headers come in any order",
      hint: "write 'headers: [\(list)]' and \(list)/NAME find it by its name, in any form")
  }

  /// Returns the list of headers from which a pointer takes one by its place, or nil.
  private func list(_ pointer: JSONPointer) -> String? {
    let steps = pointer.steps
    for list in headers where steps.starts(with: list.steps) && steps.count > list.steps.count {
      let isPlace = steps[list.steps.count...].prefix(2).contains { Decimal.number($0) != nil }
      return isPlace ? list.text : nil
    }
    for (index, step) in steps.enumerated().dropLast().dropFirst() where Decimal.number(step) != nil
    {
      let next = steps[index + 1].lowercased()
      // In a list of pairs the value is the second element.
      if next == "value" || (next == "1" && index + 2 == steps.count) {
        return JSONPointer(Array(steps[..<index])).text
      }
    }
    return nil
  }
}
