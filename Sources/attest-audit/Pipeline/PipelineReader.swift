import AppAttest
import AuditEngine

/// Reads the sections of a pipeline file.
struct PipelineReader {
  /// What relative paths start from, with a slash at its end, or nothing.
  let folder: String

  func read(_ root: PipelineNode) throws(CommandError) -> SettingsLayer {
    let members = try root.members([
      "version", "inputs", "schema", "apps", "trust", "keys", "detect", "severity", "limits",
      "report", "state", "accept", "tests",
    ])
    if let version = members["version"], try version.text() != "1" {
      throw version.error("this program reads version 1")
    }
    var layer = SettingsLayer()
    layer.schema = try members["schema"].map(readSchema)
    layer.schemaTests = try members["tests"].map { node throws(CommandError) in
      try SchemaTestReader.read(node)
    }
    if let inputs = members["inputs"] {
      var paths: [String] = []
      for element in try inputs.elements() { paths.append(try path(element)) }
      layer.inputs = paths
    }
    layer.apps = try members["apps"].map(readApps)
    layer.keys = try members["keys"].map(namedPath)
    try members["trust"].map { node throws(CommandError) in try readTrust(node, &layer) }
    try members["detect"].map { node throws(CommandError) in try readDetect(node, &layer) }
    try members["limits"].map { node throws(CommandError) in try readLimits(node, &layer) }
    try members["report"].map { node throws(CommandError) in try readReport(node, &layer) }
    layer.severities = try members["severity"].map(readSeverities)
    try members["state"].map { node throws(CommandError) in try readState(node, &layer) }
    layer.accepted = try members["accept"].map { node throws(CommandError) in
      try AcceptedFindingReader.read(node)
    }
    return layer
  }

  /// The mapping itself, the name of one that comes with the program, or a path.
  private func readSchema(_ node: PipelineNode) throws(CommandError) -> SchemaFile {
    guard node.isScalar else { return try SchemaFileReader.read(node, name: "inline") }
    return try SchemaFile.named(
      try node.text(), origin: node.origin, key: node.key, folder: folder,
      substitution: node.context.substitution)
  }

  private func readApps(_ node: PipelineNode) throws(CommandError) -> [AppPolicy] {
    var apps: [AppPolicy] = []
    for element in try node.elements() {
      let members = try element.members(["id", "environments", "categories", "bundleVersions"])
      guard let id = members["id"] else { throw element.error("an app needs an id") }
      var app = AppPolicy(id: try id.value(.appID))
      guard !apps.contains(where: { $0.id == app.id }) else {
        throw id.error("the app '\(app.id)' stands twice")
      }
      if let environments = members["environments"] {
        app.environments = Set(try environments.values(.environment))
        guard !app.environments.isEmpty else {
          throw environments.error("an app without environments accepts no key at all")
        }
      }
      if let categories = members["categories"] {
        app.categories = Set(try categories.values(.category))
      }
      if let versions = members["bundleVersions"] {
        app.bundleVersions = Set(try versions.values(.text))
      }
      apps.append(app)
    }
    return apps
  }

  private func readTrust(
    _ node: PipelineNode, _ layer: inout SettingsLayer
  ) throws(CommandError) {
    let members = try node.members(["anchors", "receiptAnchors", "receipts"])
    layer.anchors = try members["anchors"].map(namedPaths)
    layer.receiptAnchors = try members["receiptAnchors"].map(namedPaths)
    layer.receipts = try members.value("receipts", .cases)
  }

  private func readDetect(
    _ node: PipelineNode, _ layer: inout SettingsLayer
  ) throws(CommandError) {
    let members = try node.members([
      "reorderTolerance", "retryTolerance", "replayScope", "counterGap", "challenges",
      "challengeTTL", "attestationMaxAge",
    ])
    layer.reorderTolerance = try members.value("reorderTolerance", .duration)
    layer.retryTolerance = try members.value("retryTolerance", .duration)
    layer.replayScope = try members.value("replayScope", .cases)
    layer.counterGap = try members.value("counterGap", .counterGap)
    layer.challengesRequired = try members.value("challenges", .challenges)
    layer.challengeTTL = try members.value("challengeTTL", .positiveDuration)
    layer.attestationMaxAge = try members.value("attestationMaxAge", .duration)
  }

  private func readSeverities(
    _ node: PipelineNode
  ) throws(CommandError) -> [FindingCode: Severity] {
    var severities: [FindingCode: Severity] = [:]
    let members = try node.members(FindingCode.allCases.map(\.name))
    for (name, value) in members.sorted(by: { $0.value.line < $1.value.line }) {
      if let code = FindingCode(name: name) { severities[code] = try value.value(.severity) }
    }
    return severities
  }

  private func readLimits(
    _ node: PipelineNode, _ layer: inout SettingsLayer
  ) throws(CommandError) {
    let members = try node.members([
      "memory", "jobs", "lineBytes", "zstdWindowBytes", "rejectRate", "tempDir",
    ])
    layer.memory = try members.value("memory", .memory)
    layer.jobs = try members.value("jobs", .jobs)
    layer.lineBytes = try members.value("lineBytes", .lineBytes)
    layer.zstdWindowBytes = try members.value("zstdWindowBytes", .zstdWindow)
    layer.rejectRate = try members.value("rejectRate", .percent)
    layer.tempDirectory = try members["tempDir"].map(path)
  }

  private func readReport(
    _ node: PipelineNode, _ layer: inout SettingsLayer
  ) throws(CommandError) {
    let members = try node.members(["out", "overwrite", "verdicts", "failOn", "metrics"])
    layer.out = try members["out"].map(path)
    layer.overwrite = try members.value("overwrite", .boolean)
    layer.verdicts = try members.value("verdicts", .boolean)
    layer.failOn = try members.value("failOn", .failOn)
    layer.metrics = try members["metrics"].map(path)
  }

  private func readState(
    _ node: PipelineNode, _ layer: inout SettingsLayer
  ) throws(CommandError) {
    let members = try node.members(["dir", "mode", "window", "pendingFor", "settle"])
    layer.stateDir = try members["dir"].map(path)
    layer.stateMode = try members.value("mode", .cases)
    layer.stateWindow = try members.value("window", .positiveDuration)
    layer.pendingFor = try members.value("pendingFor", .duration)
    layer.settle = try members.value("settle", .duration)
  }

  /// A path, relative to the file's folder; `-` stays what it is.
  private func path(_ node: PipelineNode) throws(CommandError) -> String {
    let path = try node.value(.path)
    return path.hasPrefix("/") || path == "-" ? path : folder + path
  }

  private func namedPath(_ node: PipelineNode) throws(CommandError) -> NamedPath {
    NamedPath(path: try path(node), origin: node.origin)
  }

  private func namedPaths(_ node: PipelineNode) throws(CommandError) -> [NamedPath] {
    var paths: [NamedPath] = []
    for element in try node.elements() { paths.append(try namedPath(element)) }
    return paths
  }
}

extension [String: PipelineNode] {
  /// The value of a member in a format; nil where the member is not there.
  fileprivate func value<Setting>(
    _ name: String, _ format: SettingFormat<Setting>
  ) throws(CommandError) -> Setting? {
    guard let node = self[name] else { return nil }
    return try node.value(format)
  }
}
