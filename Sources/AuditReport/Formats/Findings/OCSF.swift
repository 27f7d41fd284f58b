internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// Findings as events of the class Detection Finding (2004) of the Open Cybersecurity Schema
/// Framework.
///
/// `finding_info.uid` is the fingerprint, which stays the same from run to run. The class requires
/// a time.
enum OCSF {
  /// The version of the schema whose definition of the class is met.
  static let schemaVersion = "1.5.0"
  /// The number of the class Detection Finding in the category Findings.
  private static let classUID: UInt64 = 2004

  /// Returns the event of a finding.
  static func tree(_ reported: ReportedFinding, _ writer: FindingWriter) -> JSONTree {
    let finding = reported.finding
    let isNews = (reported.sighting?.times ?? 1) == 1
    let (severityID, severity) = severity(finding.severity)
    let entry = finding.code.entry
    return .object([
      ("activity_id", .number(isNews ? 1 : 2)),
      ("activity_name", .string(isNews ? "Create" : "Update")),
      ("category_uid", .number(2)), ("category_name", .string("Findings")),
      ("class_uid", .number(classUID)), ("class_name", .string("Detection Finding")),
      ("type_uid", .number(classUID * 100 + (isNews ? 1 : 2))),
      ("type_name", .string("Detection Finding: \(isNews ? "Create" : "Update")")),
      ("severity_id", .number(severityID)), ("severity", .string(severity)),
      ("status_id", isNews ? .number(1) : .null), ("status", isNews ? .string("New") : .null),
      ("time", .integer(finding.time ?? writer.dayTime)), ("count", .number(finding.count)),
      ("message", .string(finding.detail)),
      ("is_alert", .boolean(finding.severity >= .high)),
      ("action_id", .number(actionID(finding.decision))),
      ("disposition_id", .number(actionID(finding.decision))),
      ("metadata", metadata),
      (
        "finding_info",
        .object([
          ("uid", .string(Fingerprint.text(finding.fingerprint))),
          ("title", .string(entry.title)), ("desc", .string(entry.meaning)),
          ("types", .array([.string(entry.name)])),
          ("created_time", finding.time.map { .integer($0) } ?? .null),
          ("data_sources", .array([.string(reported.source)])),
          ("src_url", .string(entry.address)),
          (
            "analytic",
            .object([
              ("uid", .string(entry.name)), ("name", .string(entry.title)),
              ("type_id", .number(1)), ("type", .string("Rule")),
            ])
          ),
        ])
      ),
      ("remediation", .object([("desc", .string(entry.remedy))])),
      ("resources", resources(finding)),
      (
        "evidences",
        .array([
          .object([
            ("data", .object(writer.columns.members(of: reported))), ("user", user(finding)),
            ("src_endpoint", endpoint(finding)), ("http_request", request(finding)),
          ])
        ])
      ),
      (
        "unmapped",
        finding.time == nil ? .object([("time", .string(FindingWriter.noTime))]) : .null
      ),
    ])
  }

  private static func endpoint(_ finding: Finding) -> JSONTree {
    .object([(finding.clientIP.isAddress ? "ip" : "name", .string(finding.clientIP))])
  }

  private static func request(_ finding: Finding) -> JSONTree {
    .object([
      ("user_agent", .string(finding.userAgent)),
      ("url", .object([("path", .string(finding.route))])),
    ])
  }

  private static var metadata: JSONTree {
    .object([
      ("version", .string(schemaVersion)),
      (
        "product",
        .object([
          ("name", .string(Tool.name)), ("vendor_name", .string(Tool.name)),
          ("version", .string(Tool.version)),
        ])
      ),
      ("profiles", .array([.string("security_control")])),
      ("log_name", .string(FindingFormat.ocsf.fileName)),
    ])
  }

  /// Returns the key that the finding is about.
  private static func resources(_ finding: Finding) -> JSONTree {
    guard let keyID = finding.keyID else { return .null }
    return .array([
      .object([
        ("uid", .string(keyID.hex)), ("type", .string("App Attest key")),
        ("name", .string(finding.appID)),
      ])
    ])
  }

  private static func user(_ finding: Finding) -> JSONTree {
    finding.subject.isEmpty ? .null : .object([("uid", .string(finding.subject))])
  }

  /// Returns the number and name of a severity, from 1 Informational to 5 Critical.
  private static func severity(_ severity: Severity) -> (UInt64, String) {
    switch severity {
    case .info: (1, "Informational")
    case .low: (2, "Low")
    case .medium: (3, "Medium")
    case .high: (4, "High")
    case .critical: (5, "Critical")
    }
  }

  /// Returns the number of a decision: 1 allowed, 2 denied, 0 unknown. `action_id` and
  /// `disposition_id` have the same numbers.
  private static func actionID(_ decision: Decision) -> UInt64 {
    switch decision {
    case .unknown: 0
    case .accepted: 1
    case .rejected: 2
    }
  }
}
