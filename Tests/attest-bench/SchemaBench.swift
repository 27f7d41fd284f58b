import AppAttest
import AuditEngine
import AuditLog
import AuditSettings
import Foundation
import LogForge

/// Parsing of logs through schemas with rules, headers and bodies, beside that of the same traffic in
/// the default schema's form: a gateway's, whose headers are an object or a list of names and values,
/// and that of OpenTelemetry, in which all but the body is looked up by name in a list.
struct SchemaBench {
  /// The number of rounds over the same lines. Each form is measured in turn, and its best round
  /// counts, because the speed of a shared machine varies.
  private static let rounds = 7
  /// The number of lines that are parsed from memory. They are too many for the caches.
  private static let keptLines = 20_000

  /// A form of the same traffic.
  enum Form: String, CaseIterable {
    case `default`, object, list, otel

    /// The title of the form's row.
    var title: String {
      switch self {
      case .default: "parse the default schema"
      case .object: "parse through a schema"
      case .list: "parse headers in a list by name"
      case .otel: "parse attributes by name"
      }
    }
  }

  private let logs: [(lines: LineStore, schema: CompiledSchema)]

  /// Forges the logs below `folder`.
  init(
    folder: String, keys: Int, assertions: Int, forms: [Form] = Form.allCases
  ) throws {
    var options = ForgeOptions(
      keys: keys, assertions: min(assertions, Self.keptLines), files: 1, seed: 1)
    logs = try forms.map { form in
      let path = "\(folder)/\(form.rawValue)"
      let system: ForgedSchema =
        switch form {
        case .default: .default
        case .object, .list: .deviceIntegrity
        case .otel: .otel
        }
      options.schema = system
      _ = try LogForge(options).write(to: path)
      if form == .list { try Self.listHeaders(path + "/logs", to: path + "/listed") }
      return (
        LineStore(path + (form == .list ? "/listed" : "/logs")),
        try SchemaFile.named(
          system.rawValue, origin: "", key: "", folder: "",
          substitution: Substitution(date: "", environment: [:])
        ).compiled
      )
    }
  }

  /// Parses the lines of every form once.
  func parseOnce() {
    for log in logs { _ = log.lines.parse(log.schema) }
  }

  /// Returns the nanoseconds for each record, by form.
  func measure() -> [Double] {
    var best = [Double](repeating: .infinity, count: logs.count)
    for _ in 0..<Self.rounds {
      for (index, log) in logs.enumerated() {
        best[index] = min(best[index], log.lines.parse(log.schema))
      }
    }
    return best
  }

  /// Returns a text on the cost of all forms beside the default schema.
  func text(_ costs: [Double]) -> String {
    let ratios = costs.dropFirst().map { String(format: "%.2f", $0 / costs[0]) }
    let sizes = logs.dropFirst().map { log in
      String(format: "%.2f", log.lines.bytesPerLine / logs[0].lines.bytesPerLine)
    }
    return
      "Parsing through the schema device-integrity takes \(ratios[0]) times as long as through the "
      + "default one,\n\(ratios[1]) times where headers are a list, and through the schema otel "
      + "\(ratios[2]) times, for the same\ntraffic and each record. The lines are \(sizes[0]), "
      + "\(sizes[1]) and \(sizes[2]) times as long."
  }

  /// Writes logs again, with headers as lists of names and values.
  private static func listHeaders(_ logs: String, to path: String) throws {
    var text = Data()
    LineStore(logs).forEachLine { line in
      guard var object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
        let headers = object["headers"] as? [String: String]
      else { return }
      object["headers"] = headers.sorted { $0.key < $1.key }
        .map { ["name": $0.key, "value": $0.value] }
      let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
      if let line = try? JSONSerialization.data(withJSONObject: object, options: options) {
        text += line + Data("\n".utf8)
      }
    }
    try text.write(to: URL(fileURLWithPath: path))
  }
}

/// Batches of lines in memory.
final class LineStore {
  private var batches: [LineBatch] = []

  /// Reads all logs below a path.
  init(_ path: String) {
    let pool = BatchPool(batchBytes: 1 << 20)
    let reader = SourceReader(lineLimit: 4 << 20, windowLimit: 128 << 20, pool: pool)
    let output = SourceReader.Output(
      batch: { [self] in batches.append($0) }, damage: { _ in }, progress: { _ in },
      mustStop: { false })
    for (index, source) in InputPlan.sources([path], standardInputName: "-").enumerated() {
      _ = reader.read(source, index: UInt32(index), to: output)
    }
  }

  /// Calls `body` with each line that is not blank.
  func forEachLine(_ body: (Data) -> Void) {
    for batch in batches {
      batch.forEachLine(limit: 4 << 20) { line in
        if line.state == .whole { body(unsafe Data(line.text)) }
      }
    }
  }

  /// The mean length of lines that are not blank, in bytes.
  var bytesPerLine: Double {
    var (lines, bytes) = (0, 0)
    forEachLine { line in
      lines += 1
      bytes += line.count
    }
    return Double(bytes) / Double(max(lines, 1))
  }

  /// Returns the nanoseconds for each line that is not blank. None may be a reject.
  func parse(_ schema: CompiledSchema) -> Double {
    let reader = RecordReader(
      schema: schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
    var buffer = ByteBuffer()
    var lines = 0
    var records = 0
    let start = StageClock.now
    for batch in batches {
      batch.forEachLine(limit: 4 << 20) { line in
        guard line.state == .whole else { return }
        lines += 1
        switch unsafe reader.read(line.text, into: &buffer) {
        case .record, .deviceCheckToken, .skipped: records += 1
        case .reject: break
        }
      }
    }
    let spent = StageClock.now - start
    precondition(records == lines, "forged lines are not read")
    return Double(spent) / Double(max(lines, 1))
  }
}
