/// The decisions of a run about its inputs, and what later runs are to know of them.
package struct ReadInputs: Sendable {
  package struct Entry: Sendable, Equatable {
    /// Its source is counted from the run's first source.
    package var input: KnownInput
    package var digests: [LineDigest]
    /// The facts by which a later run sees that the file has not changed, or nil if a part of it is left to a later run.
    package var stamp: FileStamp?
    /// Whether the input is another log, as far as its lines were compared: it is not accounted for (`pipeline.R15`).
    package var isSetAside = false
    /// The source of an earlier run that is this input, or that has grown to it (`records.R99`).
    package var grownFrom: UInt32?

    package init(input: KnownInput, digests: [LineDigest], stamp: FileStamp?) {
      self.input = input
      self.digests = digests
      self.stamp = stamp
    }
  }

  /// An input of an earlier run of which this run's inputs explain something.
  package struct Explained: Sendable, Equatable {
    /// Its number among all sources of all runs.
    package var source: UInt32
    /// The lines, counted from 1, that this run's lines replace.
    package var superseded: [UInt64]
    package var repaired: [LineDamage.Place]

    package init(source: UInt32, superseded: [UInt64], repaired: [LineDamage.Place]) {
      self.source = source
      self.superseded = superseded
      self.repaired = repaired
    }
  }

  package internal(set) var key: LineKey
  package internal(set) var entries: [Entry] = []
  package internal(set) var explained: [Explained] = []
  /// Lines for people about inputs that are not read as they are.
  package internal(set) var notices: [String] = []
  /// The lines of earlier runs that this run reads again (a run that only refers to a state).
  package internal(set) var rereads = RereadLines()

  package init(key: LineKey, entries: [Entry] = [], explained: [Explained] = []) {
    self.key = key
    self.entries = entries
    self.explained = explained
  }

  /// Numbers the sources of this run from `first` on.
  package mutating func number(from first: UInt32) {
    for index in entries.indices { entries[index].input.source &+= first }
  }
}
