/// Lines of one shape that the schema skipped although they hold App Attest tokens.
struct SkippedShape: Sendable, Equatable {
  /// The route, or the names of the members in order; empty for all shapes beyond the limit.
  var shape: [UInt8]
  /// The number of the first line.
  var line: UInt64
  var count: UInt64
}

/// The shapes among the skipped lines of one source, the first to come first. Batches may come in any
/// order, and give what one thread would have found.
struct SkippedTokens: Sendable {
  /// The most shapes that are told apart; all others are counted together.
  static let limit = 100

  /// Batches that came before those in front of them, by their number in the source.
  private var waiting: [UInt64: [SkippedShape]] = [:]
  private var next: UInt64 = 0
  private var places: [[UInt8]: Int] = [:]
  private var shapes: [SkippedShape] = []
  private var rest: SkippedShape?
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
      shapes[place].count += shape.count
    } else if shapes.count < Self.limit {
      places[shape.shape] = shapes.count
      shapes.append(shape)
    } else {
      rest =
        rest.map { SkippedShape(shape: [], line: $0.line, count: $0.count + shape.count) }
        ?? SkippedShape(shape: [], line: shape.line, count: shape.count)
    }
  }

  /// Takes the number of the source's batches.
  mutating func end(batches: UInt64) { self.batches = batches }

  /// What was found, in order of the first lines but for the rest, which is last; nil as long as not
  /// all of the source's batches came.
  var result: [SkippedShape]? {
    next == batches ? shapes + (rest.map { [$0] } ?? []) : nil
  }
}

extension SkippedShape {
  /// The most bytes of a shape that a sentence shows.
  private static let shownBytes = 200

  /// One English sentence.
  var detail: String {
    if shape.isEmpty {
      return
        "The schema skips lines of more than \(SkippedTokens.limit) shapes that hold App Attest "
        + "tokens; these are of the others."
    }
    let isRoute = shape[0] == UInt8(ascii: "/")
    let shown = String(decoding: shape.prefix(Self.shownBytes), as: UTF8.self)
    let text = shape.count > Self.shownBytes ? shown + "…" : shown
    return "The schema skips lines \(isRoute ? "of the route" : "with the members") \(text) that "
      + "hold App Attest tokens."
  }
}
