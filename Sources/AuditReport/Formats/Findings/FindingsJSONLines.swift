internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// The file `findings.jsonl`: the rows of `findings.csv`, one JSON object on each line. Every
/// column is a key, in the same order, null if unknown. In a run with a state `first_seen` and
/// `times_seen` come last.
struct FindingsJSONLines: FindingWriter {
  static let name = FindingFormat.jsonl.fileName

  /// Writes a finding. `sighting` counts this run as well, or is nil if there is no state.
  func write(
    _ finding: Finding, _ sighting: Sighting?, sources: SourceNames, to rows: inout RowBuffer
  ) {
    rows.append(ascii: "{\"severity\":")
    rows.append(json: finding.severity.name)
    rows.append(ascii: ",\"code\":")
    rows.append(json: finding.code.name)
    rows.append(ascii: ",\"time\":")
    rows.append(quoted: finding.time) { $0.append(time: $1) }
    rows.append(ascii: ",\"kind\":")
    rows.append(jsonOrNull: finding.kind?.name ?? "")
    rows.append(ascii: ",\"key_id\":")
    rows.append(quoted: finding.keyID) { $0.append(hex: $1) }
    rows.append(ascii: ",\"app_id\":")
    rows.append(jsonOrNull: finding.appID)
    rows.append(ascii: ",\"client_data_hash\":")
    let hash = finding.clientDataHash
    rows.append(quoted: hash.isEmpty ? nil : hash) { $0.append(hex: $1.span) }
    rows.append(ascii: ",\"counter\":")
    rows.append(jsonOrNull: finding.counter)
    rows.append(ascii: ",\"expected\":")
    rows.append(jsonOrNull: finding.expected)
    Self.writePlaces(finding, sources: sources, to: &rows)
    rows.append(ascii: ",\"count\":")
    rows.append(decimal: finding.count)
    rows.append(ascii: ",\"request_id\":")
    rows.append(jsonOrNull: finding.requestID)
    rows.append(ascii: ",\"decision\":")
    rows.append(jsonOrNull: finding.decision.name)
    rows.append(ascii: ",\"detail\":")
    rows.append(jsonOrNull: finding.detail)
    rows.append(ascii: ",\"fingerprint\":\"")
    rows.append(fingerprint: finding.fingerprint)
    rows.append(ascii: "\",\"subject\":")
    rows.append(jsonOrNull: finding.subject)
    rows.append(ascii: ",\"key_id_base64\":")
    rows.append(quoted: finding.keyID) { $0.append(base64: $1) }
    if let sighting {
      rows.append(ascii: ",\"first_seen\":")
      rows.append(json: sighting.firstSeen)
      rows.append(ascii: ",\"times_seen\":")
      rows.append(decimal: sighting.times)
    }
    rows.append(ascii: "}\n")
  }

  private static func writePlaces(
    _ finding: Finding, sources: SourceNames, to rows: inout RowBuffer
  ) {
    rows.append(ascii: ",\"source\":")
    rows.append(json: sources[finding.position.source])
    rows.append(ascii: ",\"line\":")
    rows.append(decimal: finding.position.line)
    rows.append(ascii: ",\"related_source\":")
    if let related = finding.related {
      rows.append(json: sources[related.source])
    } else {
      rows.append(ascii: "null")
    }
    rows.append(ascii: ",\"related_line\":")
    rows.append(jsonOrNull: finding.related?.line)
  }
}
