internal import AuditLog
internal import RowShuffle

/// The challenges that can be in the unread rest of an input (`pipeline.R8`). An event without a challenge that may be
/// there is not reported (`detection.R46`): the next run, which reads the rest, checks it.
struct AwaitedChallenges {
  private let inputs: [String]
  /// The earliest time of an event whose challenge can be in one of them, or nil if all inputs are read.
  private let start: Int64?

  /// Finds the inputs that are not read to their ends. Is nil if nothing can be awaited.
  init?(
    _ configuration: AuditConfiguration, _ sources: [LogSource], _ rows: [InputRow]
  ) {
    guard let history = configuration.history, history.mode == .advance,
      configuration.detection.challengesRequired
    else { return nil }
    let open = zip(sources, rows).filter {
      $0.origin == .waiting || $0.part?.isOpen == true && $1.bytes > 0
    }
    inputs = open.map(\.0.name)
    // What follows in an input can be as early as the last hour of which it has records.
    start = open.map { _, row in
      row.hours.hours.last.map { hour, _ in
        hour * 3_600_000 - 2 * configuration.detection.reorderTolerance
      } ?? .min
    }.min()
    if let start { history.hashes.awaitChallenges(from: start) }
  }

  /// Returns whether the challenge of an event can be in what is not read yet. Only hashes of 32 bytes are remembered.
  func canBring(to event: HashRow) -> Bool {
    guard let start else { return false }
    return event.time >= start && event.hashLength == 32
  }

  /// Returns the notice about so many events whose challenges are not checked yet, or nil if there are none.
  func notice(_ count: UInt64) -> String? {
    guard count > 0, let first = inputs.first else { return nil }
    let others = inputs.count - 1
    return
      "the challenges of \(count) \(count == 1 ? "request is" : "requests are") not checked yet: they can be in the "
      + "unread rest of \(first)\(others > 0 ? " and \(others) more" : ""); the next run checks them"
  }
}
