import Foundation
import LogForge
import TestSupport
import Testing

/// Clean weeks of logs in forms that loggers, shippers and runtimes gave them, audited by the built program.
struct EndDamagedFormTests {
  private struct Causes: Decodable {
    struct Cause: Decodable { var cause: String }
    var likelyCauses: [Cause]
  }

  private let rejects = [
    "record.malformed_json", "record.missing_field", "record.bad_encoding",
    "record.ambiguous_field",
  ]

  @Test(arguments: DamagedForm.all)
  private func `a damaged log accuses nobody, and its likely cause is reported`(
    _ form: DamagedForm
  ) throws {
    // reports.R66 to R76, records.R79 to R95.
    // One of the schemas, and all at night.
    let (count, start) = (form.schemas.count, form.name.utf8.count)
    let chosen = (0..<min(ForgedDay.seeds(1).upperBound, count)).map { (start + 5 * $0) % count }
    for schema in chosen.map({ form.schemas[$0] }) {
      let day = try form.day(schema)
      let outcome = try day.audit("day/pipeline.yaml", "--quiet")
      let report = day.scratch.report()
      let rows = try report.findingRows
      // Of what is missing only, at most medium if nothing is.
      #expect(Set(rows.compactMap { $0["code"] }) == form.codes, "\(schema)")
      // Each reject has a finding, or is one of those that the last one counts.
      let rejected = rows.filter { rejects.contains($0["code"] ?? "") }
        .reduce(0) { $0 + (Int($1["count"] ?? "") ?? 0) }
      #expect(try report.summary.records["unreadable"] == rejected, "\(schema)")
      let isSevere = rows.contains { ["high", "critical"].contains($0["severity"]) }
      #expect(outcome.status == (form.codes.contains("stream.missing") ? 2 : isSevere ? 1 : 0))
      #expect(!isSevere || form.cause != nil, "\(schema)")
      let causes = try JSONDecoder().decode(Causes.self, from: Data(report.bytes("summary.json")))
        .likelyCauses.map(\.cause)
      if let cause = form.cause {
        #expect(causes.contains(cause), "\(schema): \(causes)")
      } else {
        #expect(causes.isEmpty, "\(schema)")
      }
    }
  }
}

/// A form that something gives to a clean log: a part of `Tests/Cases/damaged-forms.txt`.
///
///     # its name
///     @ the systems whose logs can have it, if not all can, and the days of the log, if not 7
///     + a line for the pipeline file, whose `schema` is in place of the system's
///     = the likely cause that an audit reports, if there is one, a colon, and the codes of the findings
///     $ the command that makes it from the log; the line of a registration contains NmbXRv
///     > a further line of the command
private struct DamagedForm: CustomTestStringConvertible, Sendable {
  let name: String
  var schemas = ForgedSchema.allCases
  private var days = 7
  private var settings = ""
  var cause: String?
  var codes: Set<String> = []
  private var command = ""

  var testDescription: String { name }

  static let all = made {
    try String(contentsOfFile: Repository.root + "/Tests/Cases/damaged-forms.txt", encoding: .utf8)
      .components(separatedBy: "\n\n").map(DamagedForm.init)
  }

  private init(_ part: String) {
    var lines: [Character: String] = [:]
    for line in part.split(separator: "\n") {
      lines[line.first == ">" ? "$" : line.first!, default: ""] += line.dropFirst(2) + "\n"
    }
    func words(_ sign: Character) -> [String] {
      lines[sign, default: ""].split { " \n".contains($0) }.map(String.init)
    }
    name = lines["#", default: ""].trimmingCharacters(in: .newlines)
    let places = words("@")
    if !places.isEmpty { schemas = places.compactMap(ForgedSchema.init(rawValue:)) }
    days = places.last.flatMap { Int($0) } ?? days
    settings = lines["+"] ?? ""
    let said = words("=")
    cause = said.first.flatMap { $0.last == ":" ? String($0.dropLast()) : nil }
    codes = Set(said.dropFirst(cause == nil ? 0 : 1))
    command = lines["$"] ?? ""
  }

  /// Forges a log of a system in this form, without blank lines.
  func day(_ schema: ForgedSchema) throws -> ForgedDay {
    let day = ForgedDay()
    try day.forge([
      "--clean", "--schema", schema.rawValue, "--seed", "7", "--keys", "9", "--assertions",
      days > 7 ? "3000" : "150", "--files", "1", "--days", "\(days)",
    ])
    let outcome = try Program.run(
      [], in: day.scratch.path, environment: ["COMMAND": command],
      shell: """
        mv day/logs clean && mkdir day/logs
        zstd -dqc clean/* | sed '/^$/d' | sh -c "$COMMAND" > day/logs/log.jsonl
        """)
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""), "\(schema)")
    var pipeline = try day.scratch.text("day/pipeline.yaml")
    if settings.hasPrefix("schema") {
      pipeline.replace("schema: \(schema.rawValue)\n", with: "")
    }
    try day.scratch.write("day/pipeline.yaml", pipeline + settings)
    return day
  }
}
