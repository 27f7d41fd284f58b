import AppAttest
import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import Basics

/// The settings of a run as text: the table of settings with the run's values.
struct SettingsDescription {
  let settings: RunSettings
  let layer: SettingsLayer

  typealias Row = (String, String)

  /// The number of columns for the names, the longest of which is `detect.attestationMaxAge`.
  private static let nameWidth = 26

  var text: String {
    let table = SettingTable.shared
    // The settings that `check` shows in a form of its own.
    let own: [String: [Row]] = [
      table.version.name: [], table.schemaTests.name: [],
      table.schema.name: Self.rows(of: layer.schema ?? .standard),
      table.anchors.name: Self.anchors(
        table.anchors, layer.anchors, settings.configuration.trustAnchors),
      table.receiptAnchors.name: Self.anchors(
        table.receiptAnchors, layer.receiptAnchors, settings.configuration.receiptAnchors),
      table.keys.name: [(table.keys.name, keys)],
      table.out.name: [(table.out.name, out)],
      table.accepted.name: accepted,
    ]
    let rows = SettingTable.all.filter { $0.path != nil && isOfUse($0) }.flatMap { setting in
      own[setting.name] ?? Self.list(setting.name, setting.shown(in: settings))
    }
    return Self.text(of: rows)
  }

  static func text(of rows: [Row]) -> String {
    rows.map { name, value in
      OneLine.escape(value.isEmpty ? name : name.padded(to: nameWidth, least: 1) + value) + "\n"
    }.joined()
  }

  /// Returns the rows of a schema: its name, and, unless it is the default one, its lines as in a file.
  static func rows(of file: SchemaFile) -> [Row] {
    let lines =
      file.compiled.isStandard ? [] : SchemaWriter(file.definition, replayScope: nil).lines
    return [("schema", file.definition.name)] + lines.map { ("  " + $0, "") }
  }

  private func isOfUse(_ setting: any AnySetting) -> Bool {
    switch setting.need {
    case .nothing: true
    case .state: settings.state != nil
    case .advance: settings.state?.mode == .advance
    }
  }

  private static func anchors(
    _ setting: Setting<[NamedPath]>, _ files: [NamedPath]?, _ anchors: [[UInt8]]
  ) -> [Row] {
    let files = (files ?? []).map(\.path).joined(separator: ", ")
    return [(setting.name, files.isEmpty ? setting.row.standard : "\(anchors.count) from \(files)")]
  }

  private var keys: String {
    guard let file = layer.keys else { return "none known before" }
    return "\(settings.configuration.knownKeys.count) known from \(file.path)"
  }

  private var accepted: [Row] {
    let rows = settings.configuration.accepted.map { finding in
      let holds = finding.holds(on: settings.configuration.acceptanceDay)
      return "\(finding.target.text) up to \(finding.severity.name) until \(finding.expires)"
        + (holds ? "" : " (expired)") + ": \(finding.reason)"
    }
    return Self.list(SettingTable.shared.accepted.name, rows)
  }

  private var out: String {
    let shown = SettingTable.shared.out.shown(in: settings).joined()
    guard let path = settings.report.out else { return shown }
    do throws(AuditError) {
      try ReportDirectory.check(path: path, overwrite: settings.report.overwrite)
      return shown
    } catch {
      return "\(shown) (not now: \(error.context))"
    }
  }

  private static func list(_ name: String, _ values: [String]) -> [Row] {
    values.enumerated().map { ($0.offset == 0 ? name : "", $0.element) }
  }
}
