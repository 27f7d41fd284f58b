internal import AuditEngine
internal import AuditLog

/// Findings in the fields of the Elastic Common Schema. A document needs `@timestamp`.
enum ECS {
  static let schemaVersion = "8.11.0"
  /// The name of the program's own field, which contains all columns of `findings.csv`.
  private static let ownField = "attest_audit"

  static func tree(_ reported: ReportedFinding, _ file: FindingFile) -> JSONTree {
    let finding = reported.finding
    let entry = finding.code.entry
    let (type, outcome) =
      switch finding.decision {
      case .unknown: ("info", "unknown")
      case .accepted: ("allowed", "success")
      case .rejected: ("denied", "failure")
      }
    let client: [(String, JSONTree)] =
      finding.clientIP.isAddress ? [("ip", .string(finding.clientIP))] : []
    return [
      "@timestamp": .time(finding.time ?? file.dayTime), "ecs": ["version": "\(schemaVersion)"],
      "tags": finding.time == nil ? ["\(FindingFile.noTime)"] : .null,
      "message": .string(finding.detail),
      "event": [
        "kind": "alert", "category": ["intrusion_detection"],
        "type": [.string(type)], "outcome": .string(outcome),
        "module": .string(ownField), "dataset": "\(ownField).findings",
        "provider": .string(Tool.name), "code": .string(entry.name),
        "id": .string(Fingerprint.text(finding.fingerprint)),
        "severity": .number(UInt64(finding.severity.rawValue) + 1),
        "reason": .string(entry.meaning),
      ],
      "rule": [
        "id": .string(entry.name), "name": .string(entry.title),
        "category": .string(String(entry.family)), "description": .string(entry.meaning),
      ],
      "log": [
        "level": .string(finding.severity.name), "file": ["path": .string(reported.source)],
        "origin": [
          "file": ["line": finding.position.line > 0 ? .number(finding.position.line) : .null]
        ],
      ],
      "source": .object([("address", .string(finding.clientIP))] + client),
      "user_agent": ["original": .string(finding.userAgent)],
      "url": ["path": .string(finding.route)], "user": ["id": .string(finding.subject)],
      "http": ["request": ["id": .string(finding.requestID)]],
      "service": ["name": .string(finding.appID)],
      "observer": [
        "product": .string(Tool.name), "type": "log audit", "version": .string(Tool.version),
      ],
      ownField: file.columns.tree(reported),
    ]
  }
}

extension String {
  /// Whether a log's text has the characters of an IP address, and no others.
  var isAddress: Bool {
    (2...45).contains(utf8.count)
      && utf8.allSatisfy { byte in
        Character(Unicode.Scalar(byte)).isHexDigit || byte == UInt8(ascii: ".")
          || byte == UInt8(ascii: ":")
      } && utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
  }
}
