/// A run's decisions about its inputs, and the facts to remember of them once it is done.
package struct AccountedSources: Sendable {
  /// An input of this run, and the file that it was read from.
  package struct Entry: Sendable, Equatable {
    /// Its source's number is that of the source that holds the content.
    package var input: AccountedInput
    /// The stamp of the file, or nil if the file holds more than what was accounted for. It is
    /// looked through again then.
    package var stamp: FileStamp?
    /// What is kept of it beside its digest (``InputLedger/lines(of:)``).
    package var digests: [UInt64] = []
    /// The damaged inputs of earlier runs whose whole copy it is.
    package var replaced: [ReplacedInput] = []

    package init(input: AccountedInput, stamp: FileStamp?) {
      self.input = input
      self.stamp = stamp
    }
  }

  /// The sources, with the parts of them that are to be read.
  package internal(set) var sources: [LogSource]
  /// The inputs that this run accounts for; ``AccountedInput/source`` is the index in `sources`.
  package internal(set) var fresh: [Entry] = []
  /// Files with a content that another entry of `fresh`, by its index in `sources`, accounts for.
  package internal(set) var copies: [Entry] = []
  /// Files with a content that an earlier run accounted for, by its number in the ledger: it was
  /// read from another file, or from this one before it was touched.
  package internal(set) var known: [Entry] = []
  /// The names of files that are cut off, and hold nothing but a part of another content.
  var parts: [String] = []
  /// The names of damaged files that are copies of another input, whose lines are passed over.
  var damagedCopies: [String] = []
  /// A file that waits, and since when, in milliseconds since 1970.
  package struct Wait: Sendable, Equatable {
    /// The path without symbolic links, from the root.
    package var path: String
    package var since: Int64

    package init(path: String, since: Int64) {
      self.path = path
      self.since = since
    }
  }

  /// The files that wait.
  package internal(set) var waits: [Wait] = []
  /// The time since which the file waits that has waited longest, or nil if none waits.
  package var oldestWaiting: Int64? { waits.map(\.since).min() }
  /// The index of the first source with a content, of whole and of damaged ones.
  private var indices: [Content: Int] = [:]

  /// A content as its copies have it: whole, or damaged, with all its bytes or not.
  private struct Content: Hashable {
    var sha256: [UInt8]
    var isDamaged: Bool
  }

  /// The damaged or cut copies whose lines the run has whole now.
  package var replaced: [ReplacedInput] {
    fresh.flatMap(\.replaced) + known.flatMap(\.replaced)
  }

  init(_ sources: [LogSource]) {
    self.sources = sources
    fresh.reserveCapacity(sources.count)
  }

  /// Makes what is to be remembered of sources that were looked through elsewhere.
  package init(fresh: [Entry], copies: [Entry], known: [Entry], waits: [Wait]) {
    sources = []
    self.fresh = fresh
    self.copies = copies
    self.known = known
    self.waits = waits
  }

  /// Takes a file that waits; `since` is when an earlier run found it waiting.
  mutating func wait(_ index: Int, _ stamp: FileStamp, since: Int64?) {
    sources[index].origin = .waiting
    waits.append(Wait(path: stamp.path, since: since ?? stamp.modifiedMilliseconds))
  }

  /// Takes a file that so far is a part of another content: a copy that is being written, which waits, or
  /// one that was cut off, whose lines are passed over. Neither is accounted for, since it may turn out to
  /// be another one (``takeCopy(_:_:_:known:)`` where it does not). `since` is when an earlier run found it waiting.
  mutating func takePart(
    _ index: Int, _ content: ScannedContent, _ stamp: FileStamp, since: Int64?
  ) {
    fresh.removeAll { $0.input.source == UInt32(index) }
    copies.removeAll { $0.input.source == UInt32(index) }
    sources[index].part = nil
    guard !content.isOpen else { return wait(index, stamp, since: since) }
    var part = content.part
    part.passed = [0..<content.bytes]
    sources[index].part = part
    parts.append(sources[index].name)
  }

  /// Takes a damaged file again that was found to be a copy of a whole input, whose lines are passed over. One
  /// that was taken as a part of it is accounted for now.
  mutating func takeCopy(
    _ index: Int, _ content: ScannedContent, _ stamp: FileStamp, known input: AccountedInput?
  ) {
    let name = sources[index].name
    damagedCopies.append(name)
    guard parts.contains(name) else {
      sources[index].part = content.part
      return
    }
    parts.removeAll { $0 == name }
    sources[index].part = nil
    take(index, content, stamp, known: input)
  }

  /// Takes a file that has been looked through; `known` is what the ledger knows of its content.
  mutating func take(
    _ index: Int, _ content: ScannedContent, _ stamp: FileStamp, known input: AccountedInput?
  ) {
    let stamp = content.isOpen ? nil : stamp
    if let input {
      sources[index].origin = .known
      var entry = Entry(input: input, stamp: stamp)
      entry.replaced = content.replaced
      if input.isDamaged, !content.isDamaged,
        !content.replaced.contains(where: { $0.source == input.source })
      {
        // What was damaged, a checksum behind it, say, is whole now.
        entry.replaced.append(ReplacedInput(source: input.source, lines: []))
      }
      known.append(entry)
      return
    }
    // Each of which damage left nothing is one of its own.
    let key = Content(sha256: content.sha256, isDamaged: content.isDamaged)
    let number = content.bytes == 0 && content.isDamaged ? index : indices[key] ?? index
    var entry = Entry(
      input: content.accounted(source: UInt32(number), name: sources[number].name), stamp: stamp)
    entry.digests = content.isDamaged ? content.lineDigests : content.contentMarks
    entry.replaced = content.replaced
    if number == index {
      if content.bytes > 0 || !content.isDamaged { indices[key] = index }
      sources[index].part = content.part
      fresh.append(entry)
    } else {
      sources[index].origin = .duplicate(of: number)
      copies.append(entry)
    }
  }

  /// Returns the sources, and lets go of them.
  package mutating func takeSources() -> [LogSource] {
    defer { sources = [] }
    return sources
  }

  /// Returns whether the source taken last is this one, with a content of its own.
  func hasFresh(_ index: Int) -> Bool { fresh.last?.input.source == UInt32(index) }

  /// Numbers the sources of this run from `first` on, as they are numbered among those of all runs.
  package mutating func number(from first: UInt32) {
    for index in fresh.indices { fresh[index].input.source &+= first }
    for index in copies.indices { copies[index].input.source &+= first }
  }
}

/// The sources of earlier runs whose content a run looks at again.
package struct RecognisedSources: Sendable, Equatable {
  /// The front of an input that an earlier run accounted for.
  package struct Part: Sendable, Equatable {
    /// The number of its source among those of all runs.
    package var source: UInt32
    /// The lines of it.
    package var lines: UInt64

    package init(source: UInt32, lines: UInt64) {
      self.source = source
      self.lines = lines
    }
  }

  /// The parts of what a source's content holds from its front on, the shortest first, by the index
  /// of this run's source.
  package var parts: [Int: [Part]] = [:]
  /// The names of this run's inputs that they were recognised in.
  package var names: [String] = []

  package init(parts: [Int: [Part]] = [:], names: [String] = []) {
    self.parts = parts
    self.names = names
  }

  /// The numbers of the sources of earlier runs.
  package var numbers: Set<UInt32> { Set(parts.values.joined().map(\.source)) }
}
