internal import AuditLog
internal import Files
internal import Glibc

/// The sources of a run that the entries of `expect:` stand for (`pipeline.R13`).
struct ExpectedArrivals {
  private struct Entry {
    var input: ExpectedInput
    /// The number of its source in positions: a finding about it has to have one.
    var number: UInt32
    /// The indices of the run's sources among its files.
    var sources: Set<Int>
  }

  private let entries: [Entry]

  /// Makes the entries. `first` is the number of the first of them, after those of all sources.
  init(_ configuration: AuditConfiguration, _ sources: [LogSource], first: UInt32) {
    guard !configuration.expected.isEmpty else {
      entries = []
      return
    }
    let indices = Dictionary(
      sources.indices.compactMap { index in
        Self.identity(of: sources[index]).map { ($0, index) }
      }
    ) { first, _ in first }
    entries = configuration.expected.enumerated().map { place, input in
      let files = InputPlan.sources(
        [input.path], standardInputName: "-",
        follows: configuration.followsLinks)
      // Of stages elsewhere, a source has the name of a file that might not be on this machine.
      let named = sources.indices.filter { unsafe fnmatch(input.path, sources[$0].name, 0) == 0 }
      return Entry(
        input: input, number: first &+ UInt32(truncatingIfNeeded: place),
        sources: Set(files.compactMap { Self.identity(of: $0).flatMap { indices[$0] } } + named))
    }
  }

  private static func identity(of source: LogSource) -> FileIdentity? {
    guard case .file(let path) = source.origin else { return nil }
    return FileStatus(path: path)?.identity
  }

  /// Reports the entries that brought too few new lines. `inputs` are in the order of the sources.
  func report(_ inputs: [InputRow], to sink: FindingSink) throws(AuditError) {
    for entry in entries {
      func new(_ index: Int) -> UInt64 { inputs[index].filledLines &- inputs[index].knownLines }
      let lines = entry.sources.reduce(UInt64(0)) { $0 &+ new($1) }
      guard lines < entry.input.lines else { continue }
      let files = entry.sources.count { new($0) > 0 }
      let known = entry.sources.count { inputs[$0].status == .known || inputs[$0].knownLines > 0 }
      try sink.emit(
        missing: entry.input, source: entry.number, arrived: lines,
        "At least \(entry.input.lines) \(entry.input.lines == 1 ? "line was" : "lines were") expected from "
          + "\(entry.input.path), and \(lines) arrived, in \(files) \(files == 1 ? "file" : "files")."
          + (known == 0
            ? "" : " An earlier run read lines of \(known) \(known == 1 ? "file" : "files") there.")
      )
    }
  }
}

/// An entry of `expect:`: files that have to bring lines in every run.
package struct ExpectedInput: Sendable, Equatable {
  /// The entry as the pipeline file has it, before `${date}` is replaced. It identifies the entry from run to run.
  package var entry: String
  /// The path, folder or glob that it stands for in this run.
  package var path: String
  package var lines: UInt64

  package init(entry: String, path: String, lines: UInt64) {
    self.entry = entry
    self.path = path
    self.lines = lines
  }
}
