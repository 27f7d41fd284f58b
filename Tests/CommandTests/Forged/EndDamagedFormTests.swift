import FindingCodes
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
  func `a damaged log accuses nobody, and its likely cause is reported`(_ form: DamagedForm) throws
  {
    // reports.R66 to R76, records.R79 to R95.
    // One of the schemas, and all at night.
    let (count, start) = (form.schemas.count, form.name.utf8.count)
    let chosen = (0..<min(ForgedDay.seeds(1).upperBound, count)).map { (start + 5 * $0) % count }
    for schema in chosen.map({ form.schemas[$0] }) {
      let day = try ForgedDay()
      try day.forge([
        "--clean", "--schema", schema.rawValue, "--damage", form.name, "--seed", "7", "--keys", "9",
        "--assertions", form.days > 7 ? "3000" : "150", "--files", "1", "--days", "\(form.days)",
      ])
      let outcome = try day.audit("day/pipeline.yaml", "--quiet")
      let report = day.scratch.report()
      let rows = try report.findingRows
      // Of what is missing only, at most medium if nothing is.
      #expect(Set(rows.compactMap { $0["code"] }) == Set(form.codes.map(\.name)), "\(schema)")
      // Each reject has a finding, or is one of those that the last one counts.
      let rejected = rows.filter { rejects.contains($0["code"] ?? "") }
        .reduce(0) { $0 + (Int($1["count"] ?? "") ?? 0) }
      #expect(try report.summary.records["unreadable"] == rejected, "\(schema)")
      let isSevere = rows.contains { ["high", "critical"].contains($0["severity"]) }
      #expect(outcome.status == (form.codes.contains(.streamMissing) ? 2 : isSevere ? 1 : 0))
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
