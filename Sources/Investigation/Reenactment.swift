package import AppAttest
package import AuditEngine
internal import AuditLog
package import AuditReport
internal import AuditSettings
internal import Dispatch
internal import Files
internal import Synchronization

/// The repeated audit of the records that one finding depends on, from all inputs of the report.
package struct Reenactment: Sendable {
  package struct Outcome: Sendable {
    /// The sentence of the finding now, or nil if it was not found again.
    package var detail: String?
    /// The columns in which the report says something else of the record than its line.
    package var differing: [String] = []
    package var records = 0
    package var missing: [String] = []
    package var others: [String] = []
    /// Trusted keys by their identifiers: from valid attestations and lists of known keys.
    package var keys: [Digest256: KnownKey] = [:]
    package var attestations: [Digest256: (source: String, line: UInt64)] = [:]
  }

  package struct Choice: Sendable {
    package var keys: Set<Digest256> = []
    package var hashes: Set<[UInt8]> = []
    package var devices: Set<[UInt8]> = []
    /// A line that is judged whether it is a record or not: that of a token that no rule reads.
    package var line: (source: String, number: UInt64)?

    package init() {}

    func takes(_ record: DecodedRecord) -> Bool {
      record.keyID.map(keys.contains) == true
        || (!hashes.isEmpty && hashes.contains(record.clientDataHash))
        || record.deviceID.map(devices.contains) == true
    }

    package mutating func insert(_ record: DecodedRecord) {
      if let key = record.keyID { keys.insert(key) }
      hashes.insert(record.clientDataHash)
      if let device = record.deviceID { devices.insert(device) }
    }
  }

  private let settings: AuditConfiguration
  private let places: InputPlaces
  private let inputs: [InputRow]

  /// The statuses of inputs that are read again. A file of an earlier night may be there.
  private static let readable: Set<InputRow.Status> = [.ok, .truncated, .corrupt, .known]
  /// The findings that count records: the one that they name depends on the inputs of the run.
  private static let counted: Set = [
    FindingCode.keyUnknown, .keyUntrusted, .recordNotAudited,
  ]
  private static let memory = 512 << 20

  package init(_ settings: AuditConfiguration, _ places: InputPlaces, _ inputs: [InputRow]) {
    self.settings = settings
    self.places = places
    self.inputs = inputs.filter { Self.readable.contains($0.status) }
  }

  private struct Part {
    let source: Int
    let path: String
    let lines: [UInt64]
    let keys: [Digest256: (key: KnownKey, line: UInt64)]
  }

  /// Judges the chosen records, and searches the findings for one.
  package func run(_ choice: Choice, finding: ReportedFinding) throws -> Outcome {
    let room = Folder(path: settings.limits.tempDirectory)
    let name = TemporaryName.unique("explain")
    try room.make(name)
    defer { try? room.removeTree(name) }
    let folder = room.file(name)
    var outcome = Outcome()
    let parts = try choose(choice, in: folder, &outcome)
    try judge(parts, finding, folder, &outcome)
    return outcome
  }

  /// Returns the text for people of an error that ``run(_:finding:)`` threw.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let error as AuditError: error.context
    case let error as CommandError: error.message
    default: "\(error)"
    }
  }

  // MARK: Choosing

  private func choose(
    _ choice: Choice, in folder: String, _ outcome: inout Outcome
  ) throws -> [Part] {
    let found = Mutex<[Int: Result<Part?, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: inputs.count) { index in
      // A file that has changed is not the report's input: nothing of it is judged.
      guard let place = places.place(of: inputs[index].source), place.state != .changed else {
        return
      }
      let result = Result { try self.part(of: place.path, index, choice, in: folder) }
      found.withLock { $0[index] = result }
    }
    let results = found.withLock { $0 }
    var parts: [Part] = []
    for index in inputs.indices {
      guard let result = results[index] else {
        outcome.missing.append(inputs[index].source)
        continue
      }
      guard let part = try result.get() else { continue }
      parts.append(part)
      outcome.records += part.lines.count
      for (key, value) in part.keys where outcome.keys[key] == nil {
        outcome.keys[key] = value.key
        outcome.attestations[key] = (inputs[index].source, value.line)
      }
    }
    for key in settings.knownKeys where choice.keys.contains(key.keyID) {
      outcome.keys[key.keyID] = key
    }
    return parts
  }

  private func part(
    of path: String, _ index: Int, _ choice: Choice, in folder: String
  ) throws -> Part? {
    let decoder = LineDecoder(schema: settings.schema)
    let verifier = try settings.attestationVerifier()
    var chosen: [UInt8] = []
    var lines: [UInt64] = []
    var keys: [Digest256: (key: KnownKey, line: UInt64)] = [:]
    let own = "\(folder)/\(index)"
    let name = inputs[index].source.split(separator: "/").last.map(String.init) ?? "log"
    var output: OpenFile?
    var failure: AuditError?
    func flush() throws(AuditError) {
      let folder = Folder(path: own)
      if output == nil {
        try folder.make()
        output = try folder.create(name)
      }
      try output?.append(chosen.span)
      chosen.removeAll(keepingCapacity: true)
    }
    unsafe InputReader(settings).forEachLine(path) { line, number in
      guard failure == nil else { return }
      var isChosen = choice.line.map { $0 == (inputs[index].source, number) } ?? false
      unsafe decoder.forEachRecord(line) { record in
        guard choice.takes(record) else { return }
        isChosen = true
        if let keyID = record.keyID, keys[keyID] == nil, let key = verifier.attestedKey(record) {
          keys[keyID] = (key, number)
        }
      }
      guard isChosen else { return }
      unsafe chosen.append(contentsOf: line)
      chosen.append(0x0A)
      lines.append(number)
      guard chosen.count > 1 << 20 else { return }
      do throws(AuditError) { try flush() } catch { failure = error }
    }
    if let failure { throw failure }
    guard !lines.isEmpty else { return nil }
    // Blank lines, so that no two of these files are the same.
    chosen += [UInt8](repeating: 0x20, count: index + 1) + [0x0A]
    try flush()
    return Part(source: index, path: "\(own)/\(name)", lines: lines, keys: keys)
  }

  // MARK: Judging

  private func judge(
    _ parts: [Part], _ finding: ReportedFinding, _ folder: String, _ outcome: inout Outcome
  ) throws {
    guard !parts.isEmpty else { return }
    var configuration = settings
    configuration.inputs = parts.map(\.path)
    configuration.limits.memory = min(configuration.limits.memory, Self.memory)
    configuration.limits.tempDirectory = folder
    configuration.accepted = []
    configuration.history = nil
    configuration.accounting = nil
    let result = try Audit(configuration: configuration, progress: AuditProgress()) { _ in }.run()
    func place(_ position: Position) -> (source: String, line: UInt64)? {
      guard parts.indices.contains(Int(position.source)), position.line > 0 else { return nil }
      let part = parts[Int(position.source)]
      guard position.line <= UInt64(part.lines.count) else { return nil }
      return (inputs[part.source].source, part.lines[Int(position.line) - 1])
    }
    try result.forEachFinding { one in
      let at = place(one.position)
      if one.fingerprint == finding.finding.fingerprint {
        let differing = at.map {
          finding.recordColumns(
            differingFrom: ReportedFinding(one, source: $0.source, line: $0.line))
        }
        // Several records can have one fingerprint.
        let isSame = Self.counted.contains(one.code) || differing?.isEmpty ?? true
        guard isSame || outcome.detail == nil else { return }
        outcome.detail = told(one.detail, parts)
        outcome.differing = isSame ? [] : differing ?? []
      } else if let at, at == (finding.source, finding.finding.position.line) {
        let detail = told(one.detail, parts)
        outcome.others.append("\(one.code.name): \(detail)")
      }
    }
  }

  /// Returns a sentence with the places of the report's inputs in place of those in the small audit's files.
  private func told(_ text: String, _ parts: [Part]) -> String {
    parts.reduce(text) { text, one in
      let source = inputs[one.source].source
      let pieces = text.split(separator: one.path + ":", omittingEmptySubsequences: false)
      return pieces.dropFirst().reduce(String(pieces.first ?? "")) { told, piece in
        let digits = piece.prefix { $0.isASCII && $0.isNumber }
        guard let line = Int(digits), one.lines.indices.contains(line - 1) else {
          return told + source + ":" + piece
        }
        return told + "\(source):\(one.lines[line - 1])" + piece.dropFirst(digits.count)
      }
    }
  }
}
