import AppAttest
import AuditLog
import AuditSettings

/// A line, read through one of the shipped schemas: what it is read as depends on its bytes alone, not on
/// what was read before it, nor on what stands behind it in memory.
struct RecordTarget: FuzzTarget {
  static let name = "record"
  static let limit = 8192

  /// For each schema two readers.
  private let readers: [[RecordReader]]

  init() throws {
    readers = try FuzzSeeds.schemas.map { name in
      let schema = try SchemaFile.named(
        name, origin: "fuzz", key: "", folder: "",
        substitution: Substitution(date: "", environment: [:]))
      return (0..<2).map { _ in
        RecordReader(
          schema: schema.compiled, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
      }
    }
  }

  /// The number of a schema, and a line in it.
  static func seeds() throws -> [[UInt8]] {
    try FuzzSeeds.schemas.enumerated().flatMap { index, schema in
      try FuzzSeeds.lines(of: schema, most: 8).map { [UInt8(index)] + $0 }
    }
  }

  func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let pair = readers[Int(first) % readers.count]
    let line = Array(bytes.dropFirst())
    let expected = outcome(of: line, pair[0], filler: 0)
    // The same reader again after another line, and one that saw nothing but its own lines.
    _ = outcome(of: line.reversed(), pair[0], filler: 0x7D)
    require(outcome(of: line, pair[0], filler: 0x22) == expected, "depends on what was read before")
    require(outcome(of: line, pair[1], filler: 0x5C) == expected, "depends on what stands behind")
  }

  private func outcome(of line: [UInt8], _ reader: RecordReader, filler: UInt8) -> String {
    let padded = line + [UInt8](repeating: filler, count: LineBatch.padding)
    var buffer = ByteBuffer()
    return unsafe padded.withUnsafeBufferPointer { all in
      let text = unsafe UnsafeBufferPointer(rebasing: all[..<line.count])
      let outcome = unsafe reader.read(text, into: &buffer)
      let shape = unsafe reader.shape(ofSkippedIn: text)
      return "\(outcome) \(reader.decision()) \(shape) \(buffer.storage[..<buffer.count])"
    }
  }
}
