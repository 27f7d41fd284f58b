internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// Findings as OCSF Detection Findings (class 2004), which need a time; `finding_info.uid` is the fingerprint.
enum OCSF {
  /// The version of the schema whose definition of the class is met.
  static let schemaVersion = "1.5.0"
  private static let classUID: UInt64 = 2004

  static func tree(_ reported: ReportedFinding, _ file: FindingFile) -> JSONTree {
    let finding = reported.finding
    let isNews = (reported.sighting?.times ?? 1) == 1
    let activity = isNews ? "Create" : "Update"
    let severity = finding.severity == .info ? "informational" : finding.severity.name
    // 0 for unknown, 1 for allowed, 2 for denied.
    let action = UInt64(finding.decision.rawValue)
    let entry = finding.code.entry
    return [
      "activity_id": .number(isNews ? 1 : 2), "activity_name": .string(activity),
      "category_uid": .number(2), "category_name": "Findings",
      "class_uid": .number(classUID), "class_name": "Detection Finding",
      "type_uid": .number(classUID * 100 + (isNews ? 1 : 2)),
      "type_name": "Detection Finding: \(activity)",
      "severity_id": .number(UInt64(finding.severity.rawValue) + 1),
      "severity": .string(severity.prefix(1).uppercased() + severity.dropFirst()),
      "status_id": isNews ? .number(1) : .null, "status": isNews ? "New" : .null,
      "time": .integer(finding.time ?? file.dayTime), "count": .number(finding.count),
      "message": .string(finding.detail), "is_alert": .boolean(finding.severity >= .high),
      "action_id": .number(action), "disposition_id": .number(action), "metadata": metadata,
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
          "src_endpoint": [finding.clientIP.isAddress ? "ip" : "name": .string(finding.clientIP)],
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

  private static func resources(_ finding: Finding) -> JSONTree {
    guard let keyID = finding.keyID else { return .null }
    return [["uid": .string(keyID.hex), "type": "App Attest key", "name": .string(finding.appID)]]
  }
}
