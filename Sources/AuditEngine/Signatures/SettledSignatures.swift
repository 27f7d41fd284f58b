internal import Synchronization

/// The assertions whose signatures are valid, by their lines, for a second run over the same
/// records: one bit a line, in bounded memory. Further ones are verified again.
final class SettledSignatures: Sendable {
  /// The number of the first source.
  private let first: UInt32
  /// The index of the first word of each source.
  private let starts: [Int]
  private let words: Mutex<[UInt64]>

  /// Makes room for the lines of each source, in at most `memory` bytes.
  init(first: UInt32, lines: [UInt64], memory: Int) {
    self.first = first
    var starts: [Int] = []
    var count = 0
    for lines in lines {
      starts.append(count)
      count = min(count + Int(clamping: lines / 64) + 1, memory / MemoryLayout<UInt64>.size)
    }
    self.starts = starts + [count]
    words = Mutex([UInt64](repeating: 0, count: count))
  }

  /// Returns the word and the bit of a line's only record, or nil if it has no place. An event that only names
  /// its device has none: by other policies the device can have another key.
  private func place(of event: EventRow) -> (word: Int, bit: UInt64)? {
    let position = event.position
    guard position.item == 1, position.source >= first, !event.isJoined else { return nil }
    let source = Int(position.source - first)
    guard source + 1 < starts.count, let word = Int(exactly: position.line / 64) else { return nil }
    let index = starts[source].addingReportingOverflow(word)
    guard !index.overflow, index.partialValue < starts[source + 1] else { return nil }
    return (index.partialValue, 1 << (position.line % 64))
  }

  func add(_ events: some Sequence<EventRow>) {
    words.withLock { words in
      for event in events {
        if let (word, bit) = place(of: event) { words[word] |= bit }
      }
    }
  }

  /// Returns for each event whether its signature is known to be valid.
  func holding(_ events: [EventRow]) -> [Bool] {
    words.withLock { words in
      events.map { event in place(of: event).map { words[$0.word] & $0.bit != 0 } ?? false }
    }
  }
}
