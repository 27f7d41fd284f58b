import AuditEngine
import AuditLog
import AuditSettings
import Basics
import Files
import Foundation
import LogDiscovery

/// The findings of an audit of the sample by the file that `init` wrote, as far as there are so many that the file, or the log,
/// is likely to be wrong.
struct SampleFindings {
  /// The sentences about them, one for each code.
  let warnings: [String]

  /// The least number of findings of a code. At least half of the records of their kind must have it, too.
  private static let least: UInt64 = 3
  /// Codes that many honest keys have because the sample begins after their attestation, or because of another code, and
  /// that of root certificates, about which a hint tells.
  private static let expected: Set<FindingCode> = [
    .keyUnknown, .keyUntrusted, .attestationChainUntrusted,
  ]

  /// Audits the lines of a sample. `settings` are those of the file. Throws errors of files, and of an audit.
  init(_ sample: LogSample, by settings: SettingsLayer) throws {
    var configuration = try SettingsResolver(
      layer: settings, environment: ProcessInfo.processInfo.environment, day: ""
    ).resolve().configuration
    let room = Folder(path: configuration.limits.tempDirectory)
    let name = TemporaryName.unique("init")
    try room.make(name)
    defer { try? room.removeTree(name) }
    let folder = Folder(path: room.file(name))
    configuration.inputs = []
    configuration.verdicts = true
    for (source, lines) in Dictionary(grouping: sample.logLines + sample.unread, by: \.source)
      .sorted(by: { $0.key < $1.key })
    {
      // What is no line of the sample is a blank line, so that lines have their numbers.
      var text: [UInt8] = []
      var next: UInt64 = 1
      for line in lines.sorted(by: { $0.number < $1.number }) {
        text += [UInt8](repeating: 0x0A, count: Int(clamping: max(line.number, next) - next))
        text += line.bytes + [0x0A]
        next = line.number + 1
      }
      try folder.create("\(source)").append(text.span)
      configuration.inputs.append(folder.file("\(source)"))
    }
    let result = try Audit(configuration: configuration, progress: AuditProgress()) { _ in }.run()
    var counts: [FindingCode: UInt64] = [:]
    var first: [FindingCode: Finding] = [:]
    try result.forEachFinding { finding in
      guard finding.severity >= .high, finding.kind != nil else { return }
      counts[finding.code, default: 0] += 1
      first[finding.code] = first[finding.code] ?? finding
    }
    var records: [RecordKind?: UInt64] = [:]
    try result.forEachVerdict { records[$0.kind, default: 0] += 1 }
    warnings = FindingCode.allCases.compactMap { code in
      guard !Self.expected.contains(code), let count = counts[code],
        count >= Self.least,
        let finding = first[code], let kind = finding.kind
      else { return nil }
      let records = records[kind, default: 0]
      guard count * 2 >= records else { return nil }
      let detail = sample.sources.enumerated().reduce(finding.detail) { text, source in
        text.replacing(folder.file("\(source.offset)") + ":", with: source.element + ":")
      }
      let source = Int(
        result.sources[Int(finding.position.source)].split(separator: "/").last ?? "")
      return
        "\(code.name) in \(count) of \(records) \(kind.name)s, such as line \(finding.position.line) of "
        + "\(OneLine.escape(source.map { sample.sources[$0] } ?? "")): \(OneLine.escape(detail))"
    }
  }
}
