import Dispatch
import FindingCodes
import Synchronization

/// A forger of a day of logs with known truth. Everything in them is synthetic and signed by a
/// synthetic authority only.
package struct LogForge: Sendable {
  /// The approximate number of rows of traffic in a chunk, which one thread renders at a time.
  static let chunkRows = 4096

  /// The App IDs that forged devices belong to.
  package static let appIDs = [SyntheticApp.bank.id, SyntheticApp.game.id]

  package let options: ForgeOptions

  /// Makes a forger. Throws for options that make no sense.
  package init(_ options: ForgeOptions) throws(ForgeError) {
    for (name, value, range) in [
      ("keys", options.keys, 1...4_000_000), ("assertions", options.assertions, 0...1_000_000_000),
      ("files", options.files, 1...10_000), ("days", options.days, 1...366),
    ] where !range.contains(value) {
      throw ForgeError(
        .usage, "--\(name) is at least \(range.lowerBound) and at most \(range.upperBound)")
    }
    guard !options.incident || options.days >= 3 else {
      throw ForgeError(.usage, "--incident takes nights: --days is at least 3 with it")
    }
    guard !options.challengeRecords || options.form.traits.contains(.challengeRecords) else {
      throw ForgeError(.usage, "--challenge-records: logs of this schema hold no challenges")
    }
    let impossible = options.attacks.subtracting(AttackCatalog.codes(in: options.form))
      .subtracting(AttackCatalog.beyondLogs)
    guard impossible.isEmpty else {
      let names = impossible.map(\.name).sorted().joined(separator: ", ")
      throw ForgeError(.usage, "logs of this schema cannot show \(names)")
    }
    self.options = options
  }

  /// The counts of the written lines and files.
  package struct Summary: Sendable, Equatable {
    package var lines = 0
    package var findings = 0
  }

  /// Writes logs, anchors, `pipeline.yaml` and `truth.jsonl` into `folder`, which is made if it
  /// does not exist. Throws if logs exist there already, since they would be audited as well.
  package func write(to folder: String) throws(ForgeError) -> Summary {
    let authority = SyntheticAuthority(seed: options.seed, SigningTools())
    let attacks = AttackCatalog.play(options, authority: authority)
    try LogFile.makeFolder(folder, mayExist: true)
    try LogFile.makeFolder(folder + "/logs")
    try PipelineFile.write(
      options, authority: authority, knownKeys: attacks.knownKeys, expected: attacks.expected,
      to: folder)
    let renderer = TrafficRenderer(
      options: options, plan: TrafficPlan(options),
      keys: KeyTable(count: options.keys, seed: options.seed), authority: authority)
    let truth = try LogFile(creating: folder + "/truth.jsonl")
    var summary = Summary()
    for file in FilePlan.files(count: options.files, end: options.end) {
      let lines = attacks.lines.enumerated()
        .filter { file.holds($0.element) }
        .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        .map(\.element)
      let rows = try write(file, lines: lines, renderer, to: folder, &summary)
      try add(rows, to: truth, &summary)
    }
    for file in attacks.damagedFiles.sorted(by: { $0.name < $1.name }) {
      try LogFile(creating: folder + "/logs/" + file.name).write(file.bytes)
      let rows = file.findings.map {
        TruthRow(code: $0.code, source: "logs/" + file.name, line: $0.line)
      }
      summary.lines += file.lines
      try add(rows, to: truth, &summary)
    }
    let missing = attacks.expected.filter(\.isMissing)
    try add(
      missing.map { TruthRow(code: .streamMissing, source: $0.inputs, line: 0) }, to: truth,
      &summary)
    return summary
  }

  private func add(
    _ rows: [TruthRow], to truth: borrowing LogFile, _ summary: inout Summary
  ) throws(ForgeError) {
    for row in rows { try truth.write(Array(row.json.utf8)) }
    summary.findings += rows.count
  }

  /// Writes one file, a wave of chunks at a time, so that memory stays bounded and the order is
  /// that of one thread.
  private func write(
    _ file: FilePlan, lines: [ForgedLine], _ renderer: TrafficRenderer, to folder: String,
    _ summary: inout Summary
  ) throws(ForgeError) -> [TruthRow] {
    let output = try LogFile(creating: folder + "/logs/" + file.name)
    let writer = ChunkWriter(renderer: renderer, file: file)
    let chunks = chunks(of: file)
    var truth = [TruthRow]()
    var shapes = ReportedShapes()
    var line = 0
    let wave = 16
    for start in stride(from: 0, to: chunks.count, by: wave) {
      let made = Mutex<[Int: RenderedChunk]>([:])
      let count = min(wave, chunks.count - start)
      DispatchQueue.concurrentPerform(iterations: count) { index in
        let range = chunks[start + index]
        let chunk = writer.render(
          range, attacks: lines.filter { range.contains($0.time) },
          isFirst: start + index == 0, isLast: start + index == chunks.count - 1)
        made.withLock { $0[index] = chunk }
      }
      for (_, chunk) in made.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
        try output.write(chunk.bytes)
        for (code, place, shape) in chunk.findings
        where code != .recordNotAudited || shapes.reports(shape) {
          truth.append(TruthRow(code: code, source: "logs/" + file.name, line: line + place))
        }
        line += chunk.lines
      }
    }
    summary.lines += line
    return truth
  }

  /// Returns the periods of a file's chunks.
  private func chunks(of file: FilePlan) -> [Range<Int64>] {
    let traffic = file.traffic
    let events = (options.assertions + options.keys) * (options.writesChallenges ? 2 : 1)
    let count = Int64(max(1, events / options.files / Self.chunkRows))
    let length = (traffic.upperBound - traffic.lowerBound) / count
    return (0..<count).map {
      let lower = $0 == 0 ? file.range.lowerBound : traffic.lowerBound + $0 * length
      let upper =
        $0 == count - 1 ? file.range.upperBound : traffic.lowerBound + ($0 + 1) * length
      return lower..<upper
    }
  }
}
