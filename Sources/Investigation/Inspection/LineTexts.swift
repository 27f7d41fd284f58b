internal import AppAttest
internal import AuditLog
internal import LogDiscovery

/// The texts of a line: candidates for the signed data, for tokens, and for App IDs.
struct LineTexts {
  /// The line, as `init` reads it.
  private let line: SampleLine
  private let pointers: PointerTable

  init(_ line: [UInt8]) { (self.line, pointers) = SampleLine.read(line) }

  /// The texts in the order of the line, each with a name for people.
  var texts: [(name: String, bytes: [UInt8])] {
    line.texts(pointers)
  }

  /// A clientDataHash that a device may have been given, with its meaning as a clause that follows
  /// "if the device had signed".
  typealias Guess = (words: String, hash: [UInt8])

  /// The largest number of guesses. Each costs two key recoveries.
  private static let limit = 1200

  /// Returns the guesses, the likeliest first, in the forms that `init` tries.
  ///
  /// - Parameter recorded: The clientDataHash that was tried and is no guess.
  func guesses(besides recorded: [UInt8]?) -> [Guess] {
    var guesses: [Guess] = []
    var seen: Set<[UInt8]> = []
    if let recorded {
      seen.insert(recorded)
      let twice = Digest256.sha256(recorded.span).bytes
      seen.insert(twice)
      guesses.append(("the recorded clientDataHash hashed once more", twice))
    }
    for form in DataForm.all(in: line, pointers) where guesses.count < Self.limit {
      guard let hash = form.hash(in: line), seen.insert(hash).inserted else { continue }
      guesses.append((form.words(pointers), hash))
    }
    return guesses
  }
}
