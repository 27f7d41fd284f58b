internal import AppAttest
package import AuditEngine
internal import AuditLog
internal import Basics

/// The settings that decide what is found, as `summary.json` keeps them under `run.settings`. They
/// are complete, so that a finding can be judged again without the files that the run was given.
package struct RecordedSettings: Sendable, Equatable, Decodable {
  /// One configured app.
  package struct App: Sendable, Equatable, Decodable {
    package var id: String
    package var environments: [String]
    package var categories: [String]
    package var bundleVersions: [String]
    /// The hashes in hex.
    package var codeHashes: [String]
    package var requires: [String]
  }

  /// The folder that relative paths of the run, including its inputs, are relative to.
  package var folder: String
  package var apps: [App]
  /// The certificates, DER in hex.
  package var trustAnchors: [String]
  /// The certificates, DER in hex.
  package var receiptAnchors: [String]
  package var receipts: String
  package var macOSAccessControl: String
  /// The largest age of attestations. Durations are in milliseconds.
  package var attestationMaxAge: UInt64
  /// The schema's name.
  package var schema: String
  /// The schema file's YAML, or nil for a schema that comes with the program.
  package var schemaText: String?
  /// The settings of the detectors, each a member of its own.
  package var detection: DetectionPolicy
  /// The severities that were set, each as `code=severity`.
  package var severities: [String]
  package var lineBytes: UInt64
  package var zstdWindowBytes: UInt64
  /// The list of known keys as it was named.
  package var keys: String?
  /// The number of keys in it.
  package var knownKeys: UInt64
  /// The state directory.
  package var state: String?

  private enum CodingKeys: String, CodingKey {
    case folder, apps, trustAnchors, receiptAnchors, receipts, macOSAccessControl
    case attestationMaxAge, schema, schemaText, severities
    case lineBytes, zstdWindowBytes, keys, knownKeys, state
  }

  /// The name of one of ``DetectionPolicy/members``.
  private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    folder = try values.decode(String.self, forKey: .folder)
    apps = try values.decode([App].self, forKey: .apps)
    trustAnchors = try values.decode([String].self, forKey: .trustAnchors)
    receiptAnchors = try values.decode([String].self, forKey: .receiptAnchors)
    receipts = try values.decode(String.self, forKey: .receipts)
    macOSAccessControl = try values.decode(String.self, forKey: .macOSAccessControl)
    attestationMaxAge = try values.decode(UInt64.self, forKey: .attestationMaxAge)
    schema = try values.decode(String.self, forKey: .schema)
    schemaText = try values.decodeIfPresent(String.self, forKey: .schemaText)
    severities = try values.decode([String].self, forKey: .severities)
    lineBytes = try values.decode(UInt64.self, forKey: .lineBytes)
    zstdWindowBytes = try values.decode(UInt64.self, forKey: .zstdWindowBytes)
    keys = try values.decodeIfPresent(String.self, forKey: .keys)
    knownKeys = try values.decodeIfPresent(UInt64.self, forKey: .knownKeys) ?? 0
    state = try values.decodeIfPresent(String.self, forKey: .state)
    detection = DetectionPolicy()
    let members = try decoder.container(keyedBy: MemberName.self)
    for member in DetectionPolicy.members {
      let name = MemberName(stringValue: member.name)
      // A report of an earlier version has no member for later settings.
      guard members.contains(name) else { continue }
      member.put(try members.decode(PolicyMember.Value.self, forKey: name), &detection)
    }
  }

  /// Takes the deciding settings from a run's configuration. Paths are as they were named.
  /// `schemaText` is nil for a schema that comes with the program.
  package init(
    _ configuration: AuditConfiguration, folder: String, schemaText: String?, keys: String?,
    state: String?
  ) {
    self.folder = folder
    apps = configuration.apps.map { app in
      App(
        id: app.id,
        environments: AttestEnvironment.allCases.filter(app.environments.contains).map(\.name),
        categories: app.categories.sorted { $0.rawValue < $1.rawValue }.map(\.name),
        bundleVersions: app.bundleVersions.sorted(), codeHashes: app.codeHashes.map(\.hex),
        requires: SignedValue.allCases.filter(app.requires.contains).map(\.rawValue))
    }
    trustAnchors = configuration.trustAnchors.map { Hex.text($0) }
    receiptAnchors = configuration.receiptAnchors.map { Hex.text($0) }
    receipts = configuration.receipts.rawValue
    macOSAccessControl = configuration.macOSAccessControl.rawValue
    attestationMaxAge = UInt64(clamping: configuration.attestationMaxAge)
    schema = configuration.schema.name
    self.schemaText = schemaText
    detection = configuration.detection
    severities = FindingCode.allCases.compactMap { code in
      configuration.severities[code].map { "\(code.name)=\($0.name)" }
    }
    lineBytes = UInt64(clamping: configuration.limits.lineBytes)
    zstdWindowBytes = UInt64(clamping: configuration.limits.zstdWindowBytes)
    self.keys = keys
    knownKeys = UInt64(configuration.knownKeys.count)
    self.state = state
  }

  /// The settings as a part of `summary.json`.
  var tree: JSONTree {
    func list(_ texts: [String]) -> JSONTree { .array(texts.map(JSONTree.string)) }
    func text(_ text: String?) -> JSONTree { text.map(JSONTree.string) ?? .null }
    func named(_ members: [(CodingKeys, JSONTree)]) -> [(String, JSONTree)] {
      members.map { ($0.rawValue, $1) }
    }
    let front = named([
      (.folder, .string(folder)),
      (
        .apps,
        .array(
          apps.map { app in
            .object([
              ("id", .string(app.id)), ("environments", list(app.environments)),
              ("categories", list(app.categories)), ("bundleVersions", list(app.bundleVersions)),
              ("codeHashes", list(app.codeHashes)), ("requires", list(app.requires)),
            ])
          })
      ),
      (.trustAnchors, list(trustAnchors)), (.receiptAnchors, list(receiptAnchors)),
      (.receipts, .string(receipts)), (.macOSAccessControl, .string(macOSAccessControl)),
      (.attestationMaxAge, .number(attestationMaxAge)),
      (.schema, .string(schema)), (.schemaText, text(schemaText)),
    ])
    let members = DetectionPolicy.members.map { member -> (String, JSONTree) in
      switch member.value(detection) {
      case .number(let number): (member.name, .number(number))
      case .word(let word): (member.name, .string(word))
      case .none: (member.name, .null)
      }
    }
    let back = named([
      (.severities, list(severities)), (.lineBytes, .number(lineBytes)),
      (.zstdWindowBytes, .number(zstdWindowBytes)), (.keys, text(keys)),
      (.knownKeys, .number(knownKeys)), (.state, text(state)),
    ])
    return .object(front + members + back)
  }

  /// The settings as the page lists them.
  var listed: [PageSetting] {
    var list = apps.map { app in
      PageSetting(
        name: "app", value: "\(app.id) (\(app.environments.joined(separator: ", ")))")
    }
    func add(_ name: String, _ value: String) {
      list.append(PageSetting(name: name, value: value))
    }
    func digest(_ certificate: String) -> String {
      let der = Hex.bytes(certificate.utf8) ?? []
      return Digest256.sha256(der.span).hex
    }
    add("schema", schema)
    for anchor in trustAnchors { add("trust anchor, SHA-256", digest(anchor)) }
    for anchor in receiptAnchors { add("receipt anchor, SHA-256", digest(anchor)) }
    add("receipts", receipts)
    add("macOSAccessControl", macOSAccessControl)
    add("known keys", String(knownKeys))
    for member in DetectionPolicy.members { add(member.name, member.shown(detection)) }
    add("attestationMaxAge", PolicyMember.text(Int64(clamping: attestationMaxAge)))
    for severity in severities {
      let parts = severity.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { add(String(parts[0]), String(parts[1])) }
    }
    return list
  }
}
