import Foundation
import TestSupport
import Testing

/// The forged logs of one authority, cut into nights that are audited one after the other with a
/// state, and all at once without.
final class NightSequence {
  /// The findings of a report about one thing that is wrong, comparable between runs.
  typealias Found = Set<String>

  static let count = 10
  let scratch: Scratch
  /// The names of the log files of each night.
  private(set) var files: [[String]]
  /// The reports made so far, in their order.
  private var reports: [String] = []
  /// The open findings of the reports, by fingerprint.
  private var standing: [String: Found] = [:]

  /// Forges the logs: two files a night, and what attacks damage.
  init(_ flags: [String]) throws {
    scratch = try Scratch()
    let forged = try Program.forge(
      ["--out", "day", "--files", "\(2 * Self.count)"] + flags, in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    files = Array(repeating: [], count: Self.count)
    for name in try ReportFolder(path: scratch.path + "/day/logs").names.sorted() {
      // `edge-a-00003.jsonl` is the fourth night's; damaged files have other names.
      let digits = name.dropFirst(7).prefix(5)
      let night = name.hasPrefix("edge-z") ? nil : Int(digits)
      files[min(night ?? Self.count - 1, Self.count - 1)].append(name)
    }
    try makeSettled()
  }

  /// Puts the last change of every log an hour back.
  private func makeSettled() throws {
    for name in files.joined() { try settle("day/logs/" + name) }
  }

  /// Puts the last change of a file an hour back.
  func settle(_ name: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)],
      ofItemAtPath: scratch.path + "/" + name)
  }

  /// Moves a file from one night to another.
  func move(_ name: String, from night: Int, to later: Int) {
    files[night].removeAll { $0 == name }
    files[later].append(name)
    files[later].sort()
  }

  /// Returns the command line of a night's run over `names`, below `folder`.
  static func arguments(
    _ names: [String], night: Int, report: String, folder: String = "day/logs",
    state: String = "state"
  ) -> [String] {
    let inputs = names.isEmpty ? [folder] : names.map { folder + "/" + $0 }
    return ["audit"] + inputs + [
      "--pipeline", "day/pipeline.yaml", "--state", state, "--state-mode", "advance", "--out",
      report, "--date", "2026-03-\(10 + night)", "--quiet", "--jobs", "2",
    ]
  }

  /// Audits the files of a night with the state and takes its report.
  func run(_ night: Int, _ names: [String]? = nil, folder: String = "day/logs") throws {
    let report = "report-\(reports.count)"
    let outcome = try Program.run(
      Self.arguments(names ?? files[night], night: night, report: report, folder: folder),
      in: scratch.path)
    #expect([0, 1, 2].contains(outcome.status), "night \(night): \(outcome.errors)")
    try take(report)
  }

  /// Runs a night over the beginnings of some of its compressed files, as if they were cut off. A beginning of which
  /// nothing can be decompressed is left out: no line says that the whole file is the same one (records.R99, R102).
  func runDamaged(_ night: Int, _ seed: Int) throws {
    var random = Generator(UInt64(seed * 100 + night))
    for name in files[night] where !name.hasPrefix("edge-z") {
      let bytes = try scratch.bytes("day/logs/" + name)
      guard [0x1F, 0x28].contains(bytes.first ?? 0), Bool.random(using: &random) else { continue }
      let length = Int.random(in: bytes.count / 3..<bytes.count, using: &random)
      try scratch.write("day/logs/" + name, Array(bytes.prefix(length)))
      try settle("day/logs/" + name)
      try run(night, [name])
      let report = scratch.report("report-\(reports.count - 1)")
      if try report.summary.inputs.allSatisfy({ $0.lines == 0 }) {
        for row in try report.findingRows { standing[row["fingerprint"] ?? ""] = nil }
      }
      try scratch.write("day/logs/" + name, bytes)
      try settle("day/logs/" + name)
    }
  }

  /// Packs a night's files again under other names, and runs it over them: nothing is new.
  func runRenamed(_ night: Int) throws {
    try scratch.makeFolder("archive")
    for name in files[night] where !name.hasPrefix("edge-z") {
      let stem = String(name.prefix { $0 != "." })
      let plain = try Packed.unpack(scratch.bytes("day/logs/" + name))
      try scratch.write("archive/\(stem).old.zst", Packed.zstd(plain))
      try settle("archive/\(stem).old.zst")
    }
    try run(night, [], folder: "archive")
    // Lines are compared, not files: every line was read before (records.R100).
    let records = try scratch.report("report-\(reports.count - 1)").summary.records
    #expect(records["known", default: 0] + records["blank", default: 0] == records["lines"])
  }

  /// Runs a night once more, when all its inputs are known. Expects no findings but those about
  /// inputs that cannot be read.
  func runAgain(_ night: Int, state: String, report: String) throws {
    let outcome = try Program.run(
      Self.arguments(files[night], night: night, report: report, state: state), in: scratch.path)
    #expect([0, 2].contains(outcome.status), "\(outcome.errors)")
    #expect(try scratch.report(report).findingRows.allSatisfy { $0["code"] == "stream.unreadable" })
  }

  /// Takes a report that a night wrote.
  func take(_ report: String) throws {
    reports.append(report)
    for row in try scratch.report(report).findingRows {
      standing[row["fingerprint"] ?? "", default: []].insert(Self.name(row))
    }
    for fingerprint in try Self.closed(scratch.report(report)) { standing[fingerprint] = nil }
  }

  /// Audits everything at once without a state, and returns the findings that are expected.
  func whole() throws -> Found {
    let outcome = try Program.run(
      ["audit", "--pipeline", "day/pipeline.yaml", "--out", "whole", "--quiet"], in: scratch.path)
    #expect([0, 1, 2].contains(outcome.status), "\(outcome.errors)")
    return try Self.found(scratch.report("whole"))
  }

  /// Returns the findings of all nights together, without those that were closed later.
  func found() -> Found { standing.values.reduce(into: []) { $0.formUnion($1) } }

  /// Returns the findings of a report.
  private static func found(_ report: ReportFolder) throws -> Found {
    Set(try report.findingRows.map(name))
  }

  /// Returns a finding as `code file:line`. One that counts all assertions of a key, or all lines
  /// of a shape, is `code key` or `code file shape`, since each night has a first one.
  private static func name(_ row: [String: String]) -> String {
    let code = row["code"] ?? ""
    if ["key.unknown", "key.untrusted"].contains(code) { return "\(code) \(row["key_id"] ?? "")" }
    // However it is renamed or recompressed, its name begins as before.
    let file = (row["source"]?.split(separator: "/").last ?? "").prefix { $0 != "." }
    let place = code == "record.not_audited" ? row["detail"] : row["line"]
    let request = ["app_id", "request_id", "subject", "route"].map { row[$0] ?? "" }
    return "\(code) \(file):\(place ?? "") \(request)"
  }

  /// Returns the fingerprints of the findings that a report closes.
  private static func closed(_ report: ReportFolder) throws -> [String] {
    struct Summary: Decodable {
      struct State: Decodable {
        struct Closed: Decodable {
          var fingerprint: String
        }
        var closed: [Closed]
      }
      var state: State
    }
    let bytes = Data(try report.bytes("summary.json"))
    return try JSONDecoder().decode(Summary.self, from: bytes).state.closed.map(\.fingerprint)
  }
}
