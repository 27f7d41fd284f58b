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
}
