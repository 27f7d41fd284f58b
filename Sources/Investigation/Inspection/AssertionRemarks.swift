internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import AuditSettings
internal import LogDiscovery

/// Remarks on a failed assertion: the changes that would make it hold, and the key that signed it.
struct AssertionRemarks {
  let inspector: Inspector
  let record: InspectedRecord
  let inspected: AssertionInspection
  let line: [UInt8]

  /// Returns the remarks, a sentence each, and sets the text that was signed if it is another one of the line.
  func list(_ signedText: inout String?) -> [String] {
    guard let parts = inspected.parts else { return [] }
    var remarks: [String] = []
    if inspected.hasFailed(.appID) {
      remarks += TokenRemarks.app(
        parts.assertion.rpIDHash, inspector, line: line, leafAppID: nil)
    }
    if let index = parts.appIndex {
      remarks += TokenRemarks.signedValues(
        inspector.verifier.apps.apps[index].id, category: inspected.hasFailed(.category),
        code: inspected.hasFailed(.code))
    }
    let signature = inspected.outcome(.assertion(.signature))
    guard let hash = record.clientDataHash, signature != .passed else { return remarks }
    return remarks
      + signers(
        parts, hash, isUnknown: !inspected.hasFailed(.signature), &signedText)
  }

  /// Returns remarks on the key that made the signature, and on the signed data.
  private func signers(
    _ parts: AssertionInspection.Parts, _ hash: [UInt8], isUnknown: Bool,
    _ signedText: inout String?
  ) -> [String] {
    let nonce = nonce(parts, hash)
    let own = AssertionInspection.signers(parts.signature, Assertion.digest(nonce: nonce))
    guard !own.isEmpty else {
      return ["No key at all can have made this signature: its bytes are no ECDSA signature."]
    }
    if let key = record.keyIdentifier, own.contains(key) {
      return [
        "The signature is that of the key that hashes to the key identifier: only the key's "
          + "attestation is missing."
      ]
    }
    if let other = other(own) {
      return ["It would be valid under another key: \(other)."]
    }
    // The same message under other digests, then other messages.
    for guess in [LineTexts.Guess(words: "", hash: hash)] + guesses {
      let nonce = self.nonce(parts, guess.hash)
      for (digest, how) in [
        (Assertion.digest(nonce: nonce), ""), (nonce, ", hashed once instead of twice"),
      ] {
        if guess.words.isEmpty, how.isEmpty { continue }
        let keys = AssertionInspection.signers(parts.signature, digest)
        let what = guess.words.isEmpty ? "the recorded client data" : guess.words
        if let key = record.keyIdentifier, keys.contains(key) {
          signedText = what + how
          return [
            "It would be valid if the device had signed \(what)\(how): the signature fits that."
          ]
        }
        if let other = other(keys) {
          return ["It would be valid for \(what)\(how), under another key: \(other)."]
        }
      }
    }
    return isUnknown
      ? [
        "The signature is not that of the key that the record names, over this client data or any "
          + "other text of the line."
      ]
      : [
        "No change makes it valid. Every other field of the line was tried as client data, raw and "
          + "decoded; also one hash in place of two, and other keys of the report."
      ]
  }

  private var guesses: [LineTexts.Guess] {
    LineTexts(line).guesses(besides: record.clientDataHash)
  }

  private func nonce(_ parts: AssertionInspection.Parts, _ hash: [UInt8]) -> Digest256 {
    Assertion.nonce(authenticatorData: parts.authenticatorData.span, clientDataHash: hash.span)
  }

  /// Returns the first of these keys that is known, in words, or nil if none is.
  private func other(_ keys: [Digest256]) -> String? {
    for key in keys where key != record.keyIdentifier {
      if let words = inspector.knowledge(key) { return "\(key.hex), \(words)" }
      if inspector.keys[key] != nil { return "\(key.hex), which is known" }
    }
    return nil
  }
}

/// Remarks that are common to attestations and assertions.
enum TokenRemarks {
  /// Returns remarks on values that Apple's system signed and the app does not list.
  static func signedValues(_ app: String, category: Bool, code: Bool) -> [String] {
    var remarks: [String] = []
    if category {
      remarks.append("It would be accepted if \(app) listed this category and bundle version.")
    }
    if code { remarks.append("It would be accepted if \(app) listed this code hash.") }
    return remarks
  }

  static func app(
    _ rpIDHash: Digest256, _ inspector: Inspector, line: [UInt8], leafAppID: String?
  ) -> [String] {
    func isHash(_ text: String) -> Bool { Digest256.sha256(Array(text.utf8).span) == rpIDHash }
    if let app = inspector.verifier.apps.apps.first(where: { isHash($0.id) }) {
      return ["It would be valid for the configured app \(app.id)."]
    }
    if let leafAppID, isHash(leafAppID) {
      return [
        "It would be valid if \(leafAppID), which the leaf certificate names, were a configured app."
      ]
    }
    for text in LineTexts(line).texts {
      let name = String(decoding: text.bytes, as: UTF8.self)
      if isHash(name) {
        return ["It would be valid if \(name), the field \(text.name), were a configured app."]
      }
    }
    for app in inspector.keys.values.map(\.appID).sorted() where isHash(app) {
      return ["It would be valid for \(app), an app of the report's keys."]
    }
    return []
  }
}

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

  /// A clientDataHash, and its meaning as a clause after "if the device had signed".
  typealias Guess = (words: String, hash: [UInt8])

  /// The largest number of guesses. Each costs two key recoveries.
  private static let limit = 1200

  /// Returns the guesses, the likeliest first, in the forms that `init` tries, but `recorded`.
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
