internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// Findings as events of the class Detection Finding (2004) of the Open Cybersecurity Schema
/// Framework, which requires a time. `finding_info.uid` is the fingerprint.
enum OCSF {
  /// The version of the schema whose definition of the class is met.
  static let schemaVersion = "1.5.0"
  /// The number of the class Detection Finding in the category Findings.
  private static let classUID: UInt64 = 2004

  /// Returns the event of a finding.
  static func tree(_ reported: ReportedFinding, _ file: FindingFile) -> JSONTree {
    let finding = reported.finding
    let isNews = (reported.sighting?.times ?? 1) == 1
    let activity = isNews ? "Create" : "Update"
    let (severityID, severity) = severity(finding.severity)
    let entry = finding.code.entry
    return [
      "activity_id": .number(isNews ? 1 : 2), "activity_name": .string(activity),
      "category_uid": .number(2), "category_name": "Findings",
      "class_uid": .number(classUID), "class_name": "Detection Finding",
      "type_uid": .number(classUID * 100 + (isNews ? 1 : 2)),
      "type_name": "Detection Finding: \(activity)",
      "severity_id": .number(severityID), "severity": .string(severity),
      "status_id": isNews ? .number(1) : .null, "status": isNews ? "New" : .null,
      "time": .integer(finding.time ?? file.dayTime), "count": .number(finding.count),
      "message": .string(finding.detail), "is_alert": .boolean(finding.severity >= .high),
      "action_id": .number(actionID(finding.decision)),
      "disposition_id": .number(actionID(finding.decision)), "metadata": metadata,
      "finding_info": [
        "uid": .string(Fingerprint.text(finding.fingerprint)), "title": .string(entry.title),
        "desc": .string(entry.meaning), "types": [.string(entry.name)],
        "created_time": finding.time.map { .integer($0) } ?? .null,
        "data_sources": [.string(reported.source)], "src_url": .string(entry.address),
        "analytic": [
          "uid": .string(entry.name), "name": .string(entry.title), "type_id": .number(1),
          "type": "Rule",
        ],
      ],
      "remediation": ["desc": .string(entry.remedy)], "resources": resources(finding),
      "evidences": [
        [
          "data": file.columns.tree(reported), "user": ["uid": .string(finding.subject)],
          "src_endpoint": [
            finding.clientIP.isAddress ? "ip" : "name": .string(finding.clientIP)
          ],
          "http_request": [
            "user_agent": .string(finding.userAgent), "url": ["path": .string(finding.route)],
          ],
        ]
      ],
      "unmapped": ["time": finding.time == nil ? "\(FindingFile.noTime)" : .null],
    ]
  }

  private static var metadata: JSONTree {
    [
      "version": "\(schemaVersion)",
      "product": [
        "name": .string(Tool.name), "vendor_name": .string(Tool.name),
        "version": .string(Tool.version),
      ],
      "profiles": ["security_control"], "log_name": .string(FindingFormat.ocsf.fileName),
    ]
  }

  /// Returns the key that the finding is about.
  private static func resources(_ finding: Finding) -> JSONTree {
    guard let keyID = finding.keyID else { return .null }
    return [
      ["uid": .string(keyID.hex), "type": "App Attest key", "name": .string(finding.appID)]
    ]
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

  /// Returns 1 for allowed, 2 for denied, 0 for unknown, as `action_id` and `disposition_id`.
  private static func actionID(_ decision: Decision) -> UInt64 {
    switch decision {
    case .unknown: 0
    case .accepted: 1
    case .rejected: 2
    }
  }
}
