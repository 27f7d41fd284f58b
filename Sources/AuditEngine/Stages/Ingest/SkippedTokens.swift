internal import AppAttest

/// Lines of one shape with App Attest tokens that are not audited (`records.R55`).
struct SkippedShape: Sendable, Equatable {
  enum Lines: Sendable { case skipped, read, notJSON }

  /// The shape of lines that are not one JSON object.
  static let notJSON = Array("(not JSON)".utf8)

  /// The shape; of all shapes beyond the limit, what tells the source's shapes from another's.
  var shape: [UInt8]
  var lines = Lines.skipped
  var line: UInt64
  var count: UInt64 = 0
  /// The number of these lines that the server rejected, as far as the log says so.
  var rejected: UInt64 = 0
  /// The number of these lines that contain more than the search reads: these count, whether or not there is a token.
  var partlySearched: UInt64 = 0
  /// The last line that was counted, and whether it counts as rejected.
  var lastLine: UInt64 = 0
  var isLastRejected = false
  /// True of all shapes beyond the limit together.
  var isOfOthers = false

  /// Counts a line, once however many of its records are of this shape. It counts as rejected if all of these are.
  mutating func add(line: UInt64, isRejected: Bool, isPartlySearched: Bool) {
    if lastLine == line {
      if isLastRejected, !isRejected {
        rejected -= 1
        isLastRejected = false
      }
      return
    }
    (lastLine, isLastRejected) = (line, isRejected)
    self.line = min(self.line, line)
    count += 1
    if isRejected { rejected += 1 }
    if isPartlySearched { partlySearched += 1 }
  }

  mutating func add(_ other: SkippedShape) {
    count += other.count
    rejected += other.rejected
    partlySearched += other.partlySearched
  }
}

/// The shapes of the lines of one source that are not audited, in the order of the lines.
struct SkippedTokens: Sendable {
  /// The most shapes that are told apart; all others are counted together.
  static let limit = 100
  /// The most of the others that the identity of these holds one by one.
  private static let othersLimit = 1 << 16

  private var places: [[UInt8]: Int] = [:]
  private var first: [SkippedShape] = []
  private var rest: SkippedShape?
  private var others: Set<UInt64> = []

  mutating func add(_ shape: SkippedShape) {
    if let place = places[shape.shape] {
      first[place].add(shape)
    } else if first.count < Self.limit {
      places[shape.shape] = first.count
      first.append(shape)
    } else {
      if rest == nil { rest = SkippedShape(shape: [], line: shape.line, isOfOthers: true) }
      rest?.add(shape)
      if others.count < Self.othersLimit { others.insert(Fingerprint.first(shape.shape)) }
    }
  }

  /// The shapes, in order of the first lines but for the rest, which is last.
  var shapes: [SkippedShape] {
    guard var rest else { return first }
    rest.shape = identity(rest)
    return first + [rest]
  }

  /// Returns what the rest is known by: all shapes, in whatever order they came.
  private func identity(_ rest: SkippedShape) -> [UInt8] {
    var digests = first.map { Fingerprint.first($0.shape) } + others
    digests.sort()
    // Of more than can be held, no two nights are taken for the same.
    if others.count == Self.othersLimit { digests += [rest.line, rest.count] }
    var bytes: [UInt8] = []
    for digest in digests { bytes.append(number: digest) }
    // No shape of a line begins so.
    return [0] + Array(Fingerprint.text(Fingerprint.first(bytes)).utf8)
  }
}

extension SkippedShape {
  /// The most bytes of a shape that a sentence shows.
  private static let shownBytes = 200

  var detail: String {
    let decision =
      switch rejected {
      case 0: ""
      case count: " The server rejected \(count == 1 ? "it" : "them")."
      default: " The server rejected \(rejected) of \(count)."
      }
    return sentence + decision + search
  }

  /// The sentence about lines that are too much work.
  private var search: String {
    switch partlySearched {
    case 0: ""
    case count:
      " The search for tokens did not reach the end of \(count == 1 ? "the line" : "these lines")."
    default: " The search for tokens did not reach the end of \(partlySearched) of \(count)."
    }
  }

  private var sentence: String {
    guard !isOfOthers else {
      return
        "Lines of more than \(SkippedTokens.limit) shapes contain App Attest tokens that are not "
        + "audited; these are of the others."
    }
    let shown = String(decoding: shape.prefix(Self.shownBytes), as: UTF8.self)
    let text = shape.count > Self.shownBytes ? shown + "…" : shown
    switch lines {
    case .skipped:
      let lines =
        switch shape.first {
        case nil: "without named members"
        case UInt8(ascii: "/"): "of the route \(text)"
        default: "with the members \(text)"
        }
      return "The schema skips lines \(lines) that contain App Attest tokens."
    case .read:
      return "Lines that are read contain an App Attest token that no rule reads, at "
        + "\(text)."
    case .notJSON: return "Lines that are not one JSON object contain App Attest tokens."
    }
  }
}
