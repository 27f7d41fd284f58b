import AppAttest

/// The reading and showing of the apps that logs may name, each with its accepted values.
enum AppListReader {
  /// Reads the list of a pipeline file, each app once.
  static func read(_ node: PipelineNode) throws(CommandError) -> [AppPolicy] {
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

  /// Returns an app and its accepted values in one line.
  static func words(_ app: AppPolicy) -> String {
    var parts = [
      app.id,
      AttestEnvironment.allCases.filter(app.environments.contains)
        .map(\.name).joined(separator: " and "),
    ]
    if !app.categories.isEmpty {
      let known = app.categories.sorted { $0.rawValue < $1.rawValue }
      parts.append("categories " + known.map(\.name).joined(separator: " "))
    }
    if !app.bundleVersions.isEmpty {
      parts.append("bundle versions " + app.bundleVersions.sorted().joined(separator: " "))
    }
    return parts.joined(separator: ", ")
  }

  /// The JSON Schema of the list.
  static var schema: JSONValue {
    let pattern: JSONValue = "^[^.\\s\\x7f][^.\\s\\x7f]*\\.[^\\s\\x7f]+$"
    return .list(
      of: .object([
        ("type", "object"), ("additionalProperties", false), ("required", .array(["id"])),
        (
          "properties",
          .object([
            (
              "id",
              ValueShape.orSubstituted(.object([("type", "string"), ("pattern", pattern)]))
                .adding("description", "App ID: prefix, a point, bundle identifier")
            ),
            (
              "environments",
              .object([
                ("type", "array"), ("minItems", 1),
                ("items", SettingFormat<AttestEnvironment>.environment.shape.schema),
              ])
            ),
            ("categories", .list(of: SettingFormat<ValidationCategory>.category.shape.schema)),
            (
              "bundleVersions",
              .list(
                of: .object([("type", .array(["string", "number"])), ("minLength", 1)]))
            ),
          ])
        ),
      ]))
  }
}
