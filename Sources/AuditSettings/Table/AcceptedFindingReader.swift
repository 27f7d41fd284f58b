import AuditEngine

/// A reader of the list of findings that were looked into.
enum AcceptedFindingReader {
  /// Reads the findings in the order of the file, each target once.
  static func read(_ node: PipelineNode) throws(CommandError) -> [AcceptedFinding] {
    var targets: Set<AcceptedFinding.Target> = []
    return try node.elements { (element) throws(CommandError) in
      let finding = try one(element)
      guard targets.insert(finding.target).inserted else {
        throw element.error("the same finding occurs twice")
      }
      return finding
    }
  }

  private static func one(_ element: PipelineNode) throws(CommandError) -> AcceptedFinding {
    let members = try element.members([
      "fingerprint", "code", "key", "app", "severity", "reason", "expires",
    ])
    let target = try target(members, element)
    guard let severity = members["severity"] else {
      throw element.error(
        "an accepted finding needs the highest severity that is accepted",
        hint: "write severity: low, or another; a more severe finding is reported")
    }
    guard let reason = members["reason"] else {
      throw element.error("an accepted finding needs a reason")
    }
    guard let expires = members["expires"] else {
      throw element.error(
        "an accepted finding needs a last day", hint: "write expires: 2026-12-31, or another day")
    }
    return AcceptedFinding(
      target, severity: try severity.value(.severity), reason: try reason.value(.reason),
      expires: try expires.value(.day))
  }

  private static func target(
    _ members: [String: PipelineNode], _ element: PipelineNode
  ) throws(CommandError) -> AcceptedFinding.Target {
    if let fingerprint = members["fingerprint"] {
      guard members["code"] == nil, members["key"] == nil, members["app"] == nil else {
        throw element.error("an accepted finding has a fingerprint, or a code, not both")
      }
      return .fingerprint(try fingerprint.value(.fingerprint))
    }
    guard let node = members["code"] else {
      throw element.error("an accepted finding needs a fingerprint, or a code")
    }
    let code = try code(node)
    switch (members["key"], members["app"]) {
    case (let key?, nil): return .key(code, try key.value(.keyID))
    case (nil, let app?): return .app(code, try app.value(.appID))
    case (nil, nil): return .code(code)
    case (_?, _?): throw element.error("an accepted finding has a key or an app, not both")
    }
  }

  /// Reads the name of a code.
  static func code(_ node: PipelineNode) throws(CommandError) -> FindingCode {
    let name = try node.text()
    if let code = FindingCode(name: name) { return code }
    let nearest = NearestName.of(name, among: FindingCode.allCases.map(\.name))
    throw node.error("no code is called '\(name)'", hint: nearest.map { "did you mean '\($0)'?" })
  }
}
