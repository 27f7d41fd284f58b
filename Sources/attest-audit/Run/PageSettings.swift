import AppAttest
import AuditEngine
import AuditLog
import AuditReport

/// The settings that decide what is found, as the report page lists them: none that merely say how
/// the work is done, so that the page is the same for any number of jobs and any memory.
enum PageSettings {
  static func list(_ configuration: AuditConfiguration) -> [PageSetting] {
    let detection = configuration.detection
    var list = configuration.apps.map { app in
      PageSetting(
        name: "app", value: "\(app.id) (\(environments(of: app)))")
    }
    func add(_ name: String, _ value: String) {
      list.append(PageSetting(name: name, value: value))
    }
    add("schema", configuration.schema.name)
    for anchor in configuration.trustAnchors { add("trust anchor, SHA-256", digest(anchor)) }
    for anchor in configuration.receiptAnchors { add("receipt anchor, SHA-256", digest(anchor)) }
    add("receipts", configuration.receipts.rawValue)
    add("known keys", String(configuration.knownKeys.count))
    add("reorderTolerance", duration(detection.reorderTolerance))
    add("retryTolerance", duration(detection.retryTolerance))
    add("rejectedRetry", duration(detection.rejectedRetry))
    add("replayScope", detection.replayScope.rawValue)
    add("counterGap", detection.counterGap == 0 ? "off" : String(detection.counterGap))
    add("challenges", detection.challengesRequired ? "required" : "optional")
    add("challengeTTL", detection.challengeTTL.map(duration) ?? "not set")
    add("attestationMaxAge", duration(configuration.attestationMaxAge))
    for code in FindingCode.allCases {
      if let severity = configuration.severities[code] { add(code.name, severity.name) }
    }
    return list
  }

  private static func environments(of app: AppPolicy) -> String {
    AttestEnvironment.allCases.filter(app.environments.contains).map(\.name)
      .joined(separator: ", ")
  }

  private static func digest(_ certificate: [UInt8]) -> String {
    Digest256.sha256(certificate.span).hex
  }

  private static func duration(_ milliseconds: Int64) -> String {
    milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
