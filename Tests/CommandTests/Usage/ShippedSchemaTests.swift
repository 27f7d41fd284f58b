import Foundation
import TestSupport
import Testing

@testable import AuditSettings
@testable import attest_audit

/// The schemas that come along, and the lines that stand in their files.
struct ShippedSchemaTests {
  @Test(arguments: ShippedSchemas.names)
  func `a schema that comes along reads its own lines as they say`(_ name: String) throws {
    let file = try SchemaFile.named(
      name, origin: "", key: "", folder: "",
      substitution: Substitution(date: "", environment: [:]))
    #expect(SchemaTestRun(schema: file.compiled).failures(of: file.tests) == [])
  }

  /// Whoever closes the connection once a request is sent must not have it taken for a rejected one.
  @Test(arguments: ShippedSchemas.names)
  func `a client that went away decides nothing`(_ name: String) throws {
    let text = try String(
      contentsOf: Repository.folder.appending(path: "pipelines/schemas/\(name).yaml"),
      encoding: .utf8)
    guard text.contains("4xx: rejected") else { return }
    for status in [408, 444, 460, 499] {
      #expect(text.contains("\(status): unknown"), "\(status)")
    }
  }
}
