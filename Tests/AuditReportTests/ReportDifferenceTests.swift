import AuditEngine
import Foundation
import TestSupport
import Testing

@testable import AuditReport

struct ReportDifferenceTests {
  private let scratch = made { try Scratch() }

  private func report(_ name: String, _ findings: [(UInt64, Severity)]) throws -> StoredReport {
    var result = InMemoryResult.sample()
    result.findings = findings.map { fingerprint, severity in
      var finding = Rows.full
      finding.fingerprint = fingerprint
      finding.severity = severity
      return finding
    }
    let path = scratch.path + "/" + name
    _ = try ReportDirectory(path: path, overwrite: false).write(
      result, progress: AuditProgress(), run: { Rows.facts })
    return try StoredReport(path: path)
  }

  private func compare(
    _ earlier: [(UInt64, Severity)], _ later: [(UInt64, Severity)]
  ) throws -> (changes: [String], difference: ReportDifference) {
    var difference = ReportDifference(
      earlier: try report("a", earlier), later: try report("b", later))
    var changes: [String] = []
    try difference.compare { entry in
      changes.append("\(entry.change.rawValue) \(entry.finding.fingerprint)")
      #expect(
        (try? JSONSerialization.jsonObject(with: Data(entry.json.utf8))) is [String: Any])
    }
    return (changes, difference)
  }

  @Test func `new, more and less severe in the later order, then gone`() throws {
    let (changes, difference) = try compare(
      [(5, .low), (1, .high), (7, .medium), (9, .info)],
      [(8, .low), (7, .critical), (1, .high), (5, .info)])
    #expect(changes == ["new 8", "more severe 7", "less severe 5", "gone 9"])
    #expect(difference.same == 1)
  }

  @Test func `a report does not differ from itself, nor an empty one`() throws {
    #expect(try compare([(1, .low)], [(1, .low)]).changes.isEmpty)
  }

  @Test func `nothing against something is all new, and the other way round all gone`() throws {
    #expect(try compare([], [(1, .low), (2, .low)]).changes == ["new 1", "new 2"])
  }

  @Test func `a finding that occurs twice is one, by its worst severity`() throws {
    let (changes, difference) = try compare(
      [(1, .low), (1, .high)], [(1, .low), (1, .critical), (1, .critical), (2, .low), (2, .low)])
    #expect(changes == ["more severe 1", "new 2"])
    #expect(difference.same == 0)
  }
}
