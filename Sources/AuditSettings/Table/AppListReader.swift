package import AppAttest
import AuditEngine
import AuditReport

/// The reading and showing of the apps that logs may name, each with its accepted values.
enum AppListReader {
  static func read(
    _ node: PipelineNode, in folder: SettingsFolder
  ) throws(CommandError) -> [AppPolicy] {
    var ids: Set<String> = []
    return try node.elements { (element) throws(CommandError) in
      let members = try element.members([
        "id", "environments", "categories", "bundleVersions", "codeHashes", "requires",
      ])
      guard let id = members["id"] else { throw element.error("an app needs an id") }
      var app = AppPolicy(id: try id.value(.appID))
      try id.require(ids.insert(app.id).inserted, "the app '\(app.id)' occurs twice")
      if let environments = members["environments"] {
        app.environments = Set(try environments.values(.environment))
        try environments.require(
          !app.environments.isEmpty, "an app without environments accepts no key at all")
      }
      if let categories = members["categories"] {
        app.categories = Set(
          try categories.values(.word(ValidationCategory.names.map { ($0.name, $0.category) })))
      }
      if let versions = members["bundleVersions"] {
        app.bundleVersions = Set(try versions.values(.bundleVersion))
      }
      if let hashes = members["codeHashes"] {
        app.codeHashes = try codeHashes(hashes, in: folder)
      }
      if let required = members["requires"] { app.requires = Set(try required.values(.cases)) }
      return app
    }
  }

  private static let hashFileLimit = 1 << 20

  /// Reads code hashes: in a list, or from a file that `file` names, or both.
  private static func codeHashes(
    _ node: PipelineNode, in folder: SettingsFolder
  ) throws(CommandError) -> [CodeHash] {
    var hashes: [CodeHash] = []
    for element in node.isList ? try node.elements() : [node] {
      guard !element.isScalar else {
        hashes.append(try element.value(.codeHash))
        continue
      }
      let file = try element.needed(
        "file", of: element.members(["file"]), "a hash in hex, or a file of hashes, is needed")
      hashes += try self.codeHashes(of: try folder.namedPath(file))
    }
    return hashes.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Reads a file with a code hash on each line, at least one. A comment can follow a hash, or `#`.
  private static func codeHashes(of path: NamedPath) throws(CommandError) -> [CodeHash] {
    var hashes: [CodeHash] = []
    let text = String(decoding: try path.read(limit: hashFileLimit), as: UTF8.self)
    // Not at Unicode's other line ends, which few editors show: a comment after one would list its hash.
    let lines = text.split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }
    for (index, line) in lines.enumerated() {
      guard let word = line.split(whereSeparator: \.isWhitespace).first, word.first != "#" else {
        continue
      }
      let (format, text) = (SettingFormat.codeHash, String(word.prefix { $0 != "#" }))
      guard let hash = format.parse(text) else {
        throw CommandError(.invalidFile, "\(path.path):\(index + 1): \(format.fault(text))")
      }
      hashes.append(hash)
    }
    try CommandError.require(
      !hashes.isEmpty, "\(path.path): there is no code hash, so every code would be accepted",
      status: .invalidFile)
    return hashes
  }

  /// The accepted values of an app by their keys in a file, without those that accept everything.
  private static func values(_ app: AppPolicy) -> [(key: String, words: String, texts: [String])] {
    [
      (
        "environments", "", AttestEnvironment.allCases.filter(app.environments.contains).map(\.name)
      ),
      (
        "categories", "categories ",
        app.categories.sorted { $0.rawValue < $1.rawValue }.map(\.name)
      ),
      ("bundleVersions", "bundle versions ", app.bundleVersions.sorted()),
      ("codeHashes", "code hashes ", app.codeHashes.map(\.hex)),
      ("requires", "requires ", SignedValue.allCases.filter(app.requires.contains).map(\.rawValue)),
    ].filter { !$0.2.isEmpty }
  }

  static func words(_ app: AppPolicy) -> String {
    let parts = values(app).map { value in
      value.words + value.texts.joined(separator: value.words.isEmpty ? " and " : " ")
    }
    return ([app.id] + parts).joined(separator: ", ")
  }

  static func recorded(_ app: AppPolicy) -> JSONTree {
    let values = values(app)
    return .object(
      [("id", .string(app.id))] + values.map { ($0.key, .array($0.texts.map(JSONTree.string))) })
  }
}

extension AppPolicy {
  /// A warning if the rule on bundle versions has no effect on Macs, or nil.
  package var versionWarning: String? {
    guard !bundleVersions.isEmpty, !requires.contains(.bundleVersion) else { return nil }
    return "\(id): Macs send no bundle version, so bundleVersions lets them pass; "
      + "requires: [bundleVersion] refuses tokens without one"
  }
}

/// A reader of the list of findings that were looked into.
enum AcceptedFindingReader {
  /// Reads the findings in the order of the file, each target once.
  static func read(_ node: PipelineNode) throws(CommandError) -> [AcceptedFinding] {
    var targets: Set<AcceptedFinding.Target> = []
    return try node.elements { (element) throws(CommandError) in
      let finding = try one(element)
      try element.require(targets.insert(finding.target).inserted, "the same finding occurs twice")
      return finding
    }
  }

  private static func one(_ element: PipelineNode) throws(CommandError) -> AcceptedFinding {
    let members = try element.members([
      "fingerprint", "code", "key", "app", "severity", "reason", "expires",
    ])
    let target = try target(members, element)
    let severity = try element.needed(
      "severity", of: members, "an accepted finding needs the highest severity that is accepted",
      hint: "write severity: low, or another; a more severe finding is reported")
    let reason = try element.needed("reason", of: members, "an accepted finding needs a reason")
    let expires = try element.needed(
      "expires", of: members, "an accepted finding needs a last day",
      hint: "write expires: 2026-12-31, or another day")
    return AcceptedFinding(
      target, severity: try severity.value(.severity), reason: try reason.value(.reason),
      expires: try expires.value(.day))
  }

  private static func target(
    _ members: [String: PipelineNode], _ element: PipelineNode
  ) throws(CommandError) -> AcceptedFinding.Target {
    if let fingerprint = members["fingerprint"] {
      try element.require(
        members["code"] == nil && members["key"] == nil && members["app"] == nil,
        "an accepted finding has a fingerprint, or a code, not both")
      return .fingerprint(try fingerprint.value(.fingerprint))
    }
    let code = try code(
      element.needed("code", of: members, "an accepted finding needs a fingerprint, or a code"))
    switch (members["key"], members["app"]) {
    case (let key?, nil): return .key(code, try key.value(.keyID))
    case (nil, let app?): return .app(code, try app.value(.appID))
    case (nil, nil): return .code(code)
    case (_?, _?): throw element.error("an accepted finding has a key or an app, not both")
    }
  }

  static func code(_ node: PipelineNode) throws(CommandError) -> FindingCode {
    let name = try node.text()
    if let code = FindingCode(name: name) { return code }
    throw node.error(
      "no code is called '\(name)'",
      hint: NearestName.hint(name, among: FindingCode.allCases.map(\.name)))
  }
}
