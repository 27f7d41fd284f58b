import AppAttest
import AuditEngine
import AuditReport

/// What a run with these settings would do, for people.
struct SettingsDescription {
  let settings: AuditSettings
  let layer: SettingsLayer

  /// Columns for the names, the longest of which is `trust.receiptAnchors`.
  private static let nameWidth = 22

  private var configuration: AuditConfiguration { settings.configuration }

  /// A block of `name  value` lines.
  var text: String {
    let schema = SchemaDescription(file: layer.schema ?? .standard).rows
    return Self.text(
      of: inputs + schema + apps + trust + [("keys", keys)] + detection + severities + limits
        + report + StateDescription(settings: settings).rows)
  }

  /// A block of `name  value` lines.
  static func text(of rows: [(String, String)]) -> String {
    rows.map { name, value in
      let room = String(repeating: " ", count: max(1, nameWidth - name.count))
      return OneLine.escape(name + room + value) + "\n"
    }.joined()
  }

  private typealias Row = (String, String)

  private var inputs: [Row] {
    guard !configuration.inputs.isEmpty else {
      return [("inputs", "none here: to be named on the command line")]
    }
    return Self.list("inputs", configuration.inputs)
  }

  private var apps: [Row] {
    guard !configuration.apps.isEmpty else {
      return [("apps", "none here: to be named with --app-id")]
    }
    return Self.list(
      "apps",
      configuration.apps.map { app in
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
      })
  }

  private var trust: [Row] {
    [
      (
        "trust.anchors",
        Self.anchors(
          layer.anchors, configuration.trustAnchors.count,
          "Apple App Attestation Root CA")
      ),
      (
        "trust.receiptAnchors",
        Self.anchors(
          layer.receiptAnchors,
          configuration.receiptAnchors.count, "Apple Root CA - G3")
      ),
      ("trust.receipts", configuration.receipts.rawValue),
    ]
  }

  private var keys: String {
    guard let file = layer.keys else { return "none known before" }
    return "\(configuration.knownKeys.count) known from \(file.path)"
  }

  private var detection: [Row] {
    let policy = configuration.detection
    return [
      ("reorderTolerance", DurationText.text(policy.reorderTolerance)),
      (
        "retryTolerance",
        policy.retryTolerance == 0 ? "off" : DurationText.text(policy.retryTolerance)
      ),
      ("replayScope", policy.replayScope.rawValue),
      ("counterGap", policy.counterGap == 0 ? "off" : String(policy.counterGap)),
      ("challenges", policy.challengesRequired ? "required" : "optional"),
      ("challengeTTL", policy.challengeTTL.map(DurationText.text) ?? "off"),
      ("attestationMaxAge", DurationText.text(configuration.attestationMaxAge)),
    ]
  }

  private var severities: [Row] {
    Self.list(
      "severity",
      configuration.severities.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.name) is \($0.value.name)" })
  }

  private var limits: [Row] {
    let limits = configuration.limits
    return [
      ("memory", SizeText.text(limits.memory)),
      ("jobs", String(limits.jobs)),
      ("lineBytes", SizeText.text(limits.lineBytes)),
      ("zstdWindowBytes", SizeText.text(limits.zstdWindowBytes)),
      ("rejectRate", "\(Self.percent(limits.rejectRate))%"),
      ("tempDir", limits.tempDirectory),
    ]
  }

  private var report: [Row] {
    let report = settings.report
    var out = report.out ?? "no report folder: the summary alone"
    if let path = report.out {
      do throws(ReportError) {
        try ReportDirectory.check(path: path, overwrite: report.overwrite)
      } catch {
        out += " (not now: \(error.context))"
      }
    }
    return [
      ("report", out),
      ("overwrite", String(report.overwrite)),
      ("verdicts", String(report.verdicts)),
      ("failOn", report.failOn.name),
      ("metrics", report.metrics ?? "none"),
    ]
  }

  private static func list(_ name: String, _ values: [String]) -> [Row] {
    values.enumerated().map { ($0.offset == 0 ? name : "", $0.element) }
  }

  private static func anchors(_ files: [NamedPath]?, _ count: Int, _ standard: String) -> String {
    guard let files, !files.isEmpty else { return standard }
    return "\(count) from " + files.map(\.path).joined(separator: ", ")
  }

  private static func percent(_ share: Double) -> String {
    let text = String(share * 100)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
