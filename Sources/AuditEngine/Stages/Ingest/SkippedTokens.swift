internal import AppAttest

/// Lines of one shape that the schema skipped although they hold App Attest tokens.
struct SkippedShape: Sendable, Equatable {
  /// The route, or the names of the members in order; of all shapes beyond the limit, what tells the
  /// source's shapes from another's.
  var shape: [UInt8]
  /// The number of the first line.
  var line: UInt64
  var count: UInt64 = 0
  /// The number of these lines that the server rejected, as far as the log says so.
  var rejected: UInt64 = 0
  /// True of all shapes beyond the limit together.
  var isOfOthers = false

  mutating func add(_ other: SkippedShape) {
    count += other.count
    rejected += other.rejected
  }
}

/// The shapes among the skipped lines of one source, the first to come first. Batches may come in any
/// order, and give what one thread would have found.
struct SkippedTokens: Sendable {
  /// The most shapes that are told apart; all others are counted together.
  static let limit = 100
  /// The most of the others that the identity of these holds one by one.
  private static let othersLimit = 1 << 16

  /// Batches that came before those in front of them, by their number in the source.
  private var waiting: [UInt64: [SkippedShape]] = [:]
  private var next: UInt64 = 0
  private var places: [[UInt8]: Int] = [:]
  private var shapes: [SkippedShape] = []
  private var rest: SkippedShape?
  /// The shapes of the rest, by their digests.
  private var others: Set<UInt64> = []
  /// The number of all batches, once it is known.
  private var batches: UInt64?

  /// Takes the shapes of a batch, in the order of their first lines.
  mutating func take(_ batch: [SkippedShape], sequence: UInt64) {
    waiting[sequence] = batch
    while let batch = waiting.removeValue(forKey: next) {
      for shape in batch { add(shape) }
      next += 1
    }
  }

  private mutating func add(_ shape: SkippedShape) {
    if let place = places[shape.shape] {
      shapes[place].add(shape)
    } else if shapes.count < Self.limit {
      places[shape.shape] = shapes.count
      shapes.append(shape)
    } else {
      if rest == nil { rest = SkippedShape(shape: [], line: shape.line, isOfOthers: true) }
      rest?.add(shape)
      if others.count < Self.othersLimit { others.insert(Fingerprint.first(shape.shape)) }
    }
  }

  /// Takes the number of the source's batches.
  mutating func end(batches: UInt64) { self.batches = batches }

  /// The shapes that were found, in order of the first lines but for the rest, which is last. It is
  /// nil as long as not all of the source's batches came.
  var result: [SkippedShape]? {
    guard next == batches else { return nil }
    guard var rest else { return shapes }
    rest.shape = identity(rest)
    return shapes + [rest]
  }

  /// Returns what the rest is known by: all shapes of the source, in whatever order they came. One that
  /// was not there before makes another finding of it.
  private func identity(_ rest: SkippedShape) -> [UInt8] {
    var digests = shapes.map { Fingerprint.first($0.shape) } + others
    digests.sort()
    // Of more than can be held, no two nights are taken for the same.
    if others.count == Self.othersLimit { digests += [rest.line, rest.count] }
    let bytes = digests.flatMap { digest in
      (0..<8).map { UInt8(truncatingIfNeeded: digest >> (8 * $0)) }
    }
    // No shape of a line begins so.
    return [0] + Array(Fingerprint.text(Fingerprint.first(bytes)).utf8)
  }
}

extension SkippedShape {
  /// The most bytes of a shape that a sentence shows.
  private static let shownBytes = 200

  /// One or two English sentences.
  var detail: String {
    let decision =
      switch rejected {
      case 0: ""
      case count: " The server rejected \(count == 1 ? "it" : "them")."
      default: " The server rejected \(rejected) of \(count)."
      }
    guard !isOfOthers else {
      return
        "The schema skips lines of more than \(SkippedTokens.limit) shapes that hold App Attest "
        + "tokens; these are of the others." + decision
    }
    let isRoute = shape.first == UInt8(ascii: "/")
    let shown = String(decoding: shape.prefix(Self.shownBytes), as: UTF8.self)
    let text = shape.count > Self.shownBytes ? shown + "…" : shown
    return "The schema skips lines \(isRoute ? "of the route" : "with the members") \(text) that "
      + "hold App Attest tokens." + decision
  }
}
