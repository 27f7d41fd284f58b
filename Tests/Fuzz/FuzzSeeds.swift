import AuditEngine
import Foundation
import TestSupport

@testable import AuditState

/// The sources of seeds: the logs in `testdata/`, and the synthetic day.
enum FuzzSeeds {
  /// The schemas whose logs lie in `testdata/schemas`, in the order of their names.
  static let schemas = made {
    try FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/testdata/schemas")
      .sorted()
  }

  /// Returns lines of the first whole log of a schema.
  static func lines(of schema: String, most: Int) throws -> [[UInt8]] {
    let folder = "\(Repository.root)/testdata/schemas/\(schema)/logs"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let bytes = Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
      guard let content = try? Packed.unpack(bytes) else { continue }
      return content.split(separator: 0x0A).prefix(most).map(Array.init)
    }
    return []
  }

  /// Returns the tokens of a kind of record in the synthetic day.
  static func tokens(_ kind: String) throws -> [[UInt8]] {
    try SyntheticDay.shared.lines.compactMap { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard object?["kind"] as? String == kind, let token = object?["token"] as? String else {
        return nil
      }
      return Data(base64Encoded: token).map(Array.init)
    }
  }

  /// Returns the bytes of a file of the package.
  static func file(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(Repository.root)/\(path)")))
  }

  /// Returns the files of a folder of the package whose names end so, in order.
  static func files(in folder: String, ending: String) throws -> [[UInt8]] {
    try FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/\(folder)").sorted()
      .filter { $0.hasSuffix(ending) }.map { try file("\(folder)/\($0)") }
  }

  /// Returns the segment of a kind of a small state.
  static func segment(_ kind: SegmentKind) throws -> [UInt8] {
    let scratch = try Scratch()
    let state = try StateDirectory.open(path: scratch.path + "/state", mode: .advance, now: 0)
    let run = try state.beginRun(
      TransactionFacts(id: "1", day: "2026-03-01", startedAt: 0, window: 1, pendingFor: 1))
    for tag: UInt8 in 0..<40 {
      let group = [UInt8](repeating: tag, count: 32) + [32]
      let record =
        group + [UInt8](repeating: 255 - tag, count: KeptRecord.byteCount - group.count)
      try unsafe record.withUnsafeBytes { unsafe try run.history.hashes.remember($0) }
      try unsafe record.withUnsafeBytes { unsafe try run.history.events.keep($0) }
    }
    try run.prepare(
      TransactionOutcome(sources: [], inputs: [], finishedAt: 0, totals: CommittedTotals()))
    try run.commit()
    run.finish()
    return try scratch.bytes("state/\(kind.path(1))")
  }
}
