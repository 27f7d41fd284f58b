import AuditEngine
import Foundation
import TestSupport
import Testing

/// Pipeline and schema files.
extension JSONSchemaTests {
  @Test func `the pipeline files that come along are valid`() throws {
    let folders = ["pipelines", "testdata"] + Self.files("testdata/schemas", "")
    let files = folders.flatMap { Self.files($0, ".yaml") }
    #expect(files.count >= 4)
    try Self.expectValid(try files.map { Job("pipeline", .yaml, try Self.text($0)) })
  }

  @Test func `the schema files that come along are valid`() throws {
    let files = Self.files("pipelines/schemas", ".yaml")
    #expect(files.count >= 7)
    try Self.expectValid(try files.map { Job("schema", .yaml, try Self.text($0)) })
  }

  @Test func `a pipeline file with all there is is valid`() throws {
    try Self.expectValid([Job("pipeline", .yaml, Self.whole)])
  }

  /// Each piece of text in ``whole`` with one that makes it wrong.
  @Test func `a damaged pipeline file is refused`() throws {
    let damages = TextCase.read("pipeline-damages")
    #expect(try damages.allSatisfy { try Self.whole.contains($0.text) })
    try Self.expectRefused(
      try damages.map {
        Job(
          "pipeline", .yaml,
          try Self.whole.replacing($0.text, with: $0.message, maxReplacements: 1))
      })
  }

  private static var whole: String { get throws { try text("Tests/Cases/whole-pipeline.yaml") } }
}
