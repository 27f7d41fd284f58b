import AppAttest
import AuditLog
import AuditSettings

/// A schema file: one that reads lines, or one clear line about it.
struct SchemaTarget: FuzzTarget {
  static let name = "schema"
  static let limit = 8192

  private let lines: [[UInt8]]

  init() throws {
    lines = try FuzzSeeds.schemas.flatMap { try FuzzSeeds.lines(of: $0, most: 1) }
  }

  static func seeds() throws -> [[UInt8]] {
    try FuzzSeeds.files(in: "pipelines/schemas", ending: ".yaml")
  }

  func run(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    let context = PipelineNode.Context(
      file: "f.yaml", substitution: Substitution(date: "", environment: [:]))
    do throws(CommandError) {
      guard let root = try YAMLFile.read(text, context: context) else { return }
      let schema = try SchemaFileReader.read(root, name: "f")
      let reader = RecordReader(
        schema: schema.compiled, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
      var buffer = ByteBuffer()
      for line in lines {
        let padded = line + [UInt8](repeating: 0x22, count: LineBatch.padding)
        unsafe padded.withUnsafeBufferPointer { all in
          let text = unsafe UnsafeBufferPointer(rebasing: all[..<line.count])
          _ = unsafe reader.read(text, into: &buffer)
          _ = unsafe (reader.shape(ofSkippedIn: text), reader.decision())
        }
      }
    } catch {
      require(error.isOneLine, "\(error)")
    }
  }
}
