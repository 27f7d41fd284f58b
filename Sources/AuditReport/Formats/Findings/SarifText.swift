internal import AppAttest
internal import AuditEngine

/// The file `findings.sarif`: findings as results of one run in the Static Analysis Results
/// Interchange Format 2.1.0. Each line of the file holds one result.
struct SarifText: FindingWriter {
  private var isFirst = true

  /// Writes the text before the results: the tool and a rule for each code.
  func begin(sightings: Bool, _ rows: inout RowBuffer) {
    rows.append(ascii: "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",")
    rows.append(ascii: "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":")
    JSONTree.object([
      ("name", .string(Tool.name)), ("semanticVersion", .string(Tool.version)),
      ("rules", .array(FindingCatalogue.entries.map(Self.rule))),
    ]).writeLine(to: &rows)
    rows.append(ascii: "},\"columnKind\":\"unicodeCodePoints\",\"results\":[")
  }

  /// Writes a result.
  mutating func write(
    _ finding: Finding, _ sighting: Sighting?, sources: SourceNames, to rows: inout RowBuffer
  ) {
    rows.append(ascii: isFirst ? "\n" : ",\n")
    isFirst = false
    let detail = finding.detail.isEmpty ? finding.code.entry.title : finding.detail
    JSONTree.object([
      ("ruleId", .string(finding.code.name)), ("ruleIndex", .number(UInt64(finding.code.rawValue))),
      ("level", .string(Self.level(finding.severity))),
      ("message", .object([("text", .string(detail))])),
      ("locations", Self.location(finding.position, sources)),
      ("relatedLocations", finding.related.map { Self.location($0, sources) } ?? .null),
      (
        "partialFingerprints",
        .object([("attestAuditFinding/v1", .string(Fingerprint.text(finding.fingerprint)))])
      ),
      ("occurrenceCount", .number(max(1, finding.count))),
      (
        "baselineState",
        sighting.map { .string($0.times == 1 ? "new" : "unchanged") } ?? .null
      ),
      ("properties", FindingMembers.tree(finding, sighting, sources: sources)),
    ]).writeLine(to: &rows)
  }

  /// Writes the text behind the results.
  func end(_ rows: inout RowBuffer) {
    rows.append(ascii: "\n]}]}\n")
  }

  private static func rule(_ entry: FindingEntry) -> JSONTree {
    func message(_ text: String) -> JSONTree { .object([("text", .string(text))]) }
    return .object([
      ("id", .string(entry.name)), ("shortDescription", message(entry.title)),
      ("fullDescription", message(entry.meaning)),
      ("help", message("\(entry.abuse) \(entry.harmless) \(entry.remedy)")),
      ("defaultConfiguration", .object([("level", .string(level(entry.severity)))])),
    ])
  }

  private static func level(_ severity: Severity) -> String {
    switch severity {
    case .info, .low: "note"
    case .medium: "warning"
    case .high, .critical: "error"
    }
  }

  /// Returns a list of one place. It has no line if the finding is about a whole input. The list is
  /// empty if the source is not known.
  private static func location(_ position: Position, _ sources: SourceNames) -> JSONTree {
    let source = sources[position.source]
    guard !source.isEmpty else { return .null }
    return .array([
      .object([
        (
          "physicalLocation",
          .object([
            ("artifactLocation", .object([("uri", .string(FileReference.text(source)))])),
            (
              "region",
              position.line == 0 ? .null : .object([("startLine", .number(position.line))])
            ),
          ])
        )
      ])
    ])
  }
}

/// Paths as references of RFC 3986.
enum FileReference {
  /// Returns `file:///…` for an absolute path, and a relative reference for any other.
  static func text(_ path: String) -> String {
    var buffer = RowBuffer()
    if path.utf8.first == UInt8(ascii: "/") { buffer.append(ascii: "file://") }
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        buffer.append(byte)
      default:
        buffer.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 15] {
          buffer.append(digit < 10 ? 0x30 + digit : 0x41 + digit - 10)
        }
      }
    }
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}
