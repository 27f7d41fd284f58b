import Foundation

/// The JSON Schemas of `pipelines/schemas/json/`, and Debian's `python3-jsonschema` to judge by
/// them, which is independent of the program's own code.
package enum JSONSchemas {
  /// Documents to judge by one schema.
  package struct Job: Encodable, Sendable {
    /// The form of the documents: one JSON value, one on each line, or YAML as the program reads
    /// it, `${…}` and the core schema of YAML 1.2 included.
    package enum Format: String, Encodable, Sendable {
      case json, jsonl, yaml
    }
    /// The name of a file of `pipelines/schemas/json/`, without `.schema.json`.
    package var schema: String
    package var format: Format
    package var text: String
    /// Changes of the documents: `/path/to/member = JSON`, or a path alone to leave the member out.
    package var changes: [String]

    package init(_ schema: String, _ format: Format, _ text: String, changes: [String] = []) {
      self.schema = schema
      self.format = format
      self.text = text
      self.changes = changes
    }
  }

  /// The result for the documents of one job.
  package struct Verdict: Decodable, Equatable, Sendable {
    package var documents: Int
    /// The mistakes, each as `document: place: what is wrong`.
    package var errors: [String]
  }

  /// Judges each job's documents by the schemas of a folder, or else by those that are shipped. If
  /// a schema is itself invalid, that is an error of its own.
  package static func judge(
    _ jobs: [Job], folder: String = Repository.root + "/pipelines/schemas/json"
  ) throws -> [Verdict] {
    let input = try JSONEncoder().encode(jobs)
    let answer = try Python.run(
      "json_schemas", [folder], input: Array(input), packages: "python3-jsonschema and python3-yaml"
    )
    return try JSONDecoder().decode([Verdict].self, from: answer)
  }
}
