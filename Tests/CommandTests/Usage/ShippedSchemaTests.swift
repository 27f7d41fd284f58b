import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditSettings
@testable import attest_audit

/// The schemas that come along, and the lines that stand in their files.
struct ShippedSchemaTests {
  // records.R76.
  @Test(arguments: ShippedSchemas.names)
  func `a shipped schema reads the log in its own file as its tests say`(_ name: String) throws {
    let file = try SchemaFile.named(
      name, origin: "", key: "", folder: "",
      substitution: Substitution())
    #expect(SchemaTestRun(schema: file.compiled).failures(of: file.tests) == [])
  }

  @Test(arguments: ShippedSchemas.names)
  func `a status decides as records.R94 says`(_ name: String) throws {
    let file = try SchemaFile.named(
      name, origin: "", key: "", folder: "",
      substitution: Substitution())
    let rejected = [307, 308, 400, 401, 403, 404, 405, 409, 410, 422, 429, 503]
    for rule in file.compiled.definition.rules {
      guard let table = rule.fields[.decision]?.values else { continue }
      // A server's own words, such as "denied", are no statuses.
      guard table.entries.contains(where: { $0.value == "2xx" }) else { continue }
      let words = Dictionary(uniqueKeysWithValues: table.entries.map { ($0.value, $0.word) })
      for status in 100...599 {
        let word = words["\(status)"] ?? words["\(status / 100)xx"] ?? table.otherwise
        let isAccepted = (200...299).contains(status) || status == 304
        #expect(
          word == (isAccepted ? "accepted" : rejected.contains(status) ? "rejected" : "unknown"),
          "\(status)")
      }
    }
  }
}
