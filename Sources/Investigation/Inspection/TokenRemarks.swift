internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import AuditSettings
internal import Basics
internal import LogDiscovery
internal import OpenSSL

/// Remarks on a failed token, a sentence each: the changes that would make it valid, and the key that signed it.
struct TokenRemarks {
  let inspector: Inspector
  let record: InspectedRecord
  /// The line that contains the token, or empty if there is none.
  let line: [UInt8]
  private(set) var list: [String] = []
  /// The text of the line that was signed or attested instead of the client data, or nil if none is known.
  private(set) var signedText: String?

  init(_ inspector: Inspector, _ record: InspectedRecord, line: [UInt8]) {
    self.inspector = inspector
    self.record = record
    self.line = line
  }

  private func guesses() -> [LineTexts.Guess] {
    LineTexts(line).guesses(besides: record.clientDataHash)
  }

  private mutating func addApp(_ rpIDHash: Digest256, leafAppID: String?) {
    func isHash(_ text: String) -> Bool { Digest256.sha256(Array(text.utf8).span) == rpIDHash }
    if let app = inspector.verifier.apps.apps.first(where: { isHash($0.id) }) {
      return list.append("It would be valid for the configured app \(app.id).")
    }
    if let leafAppID, isHash(leafAppID) {
      return list.append(
        "It would be valid if \(leafAppID), which the leaf certificate names, were a configured app."
      )
    }
    for text in LineTexts(line).texts {
      let name = String(decoding: text.bytes, as: UTF8.self)
      guard isHash(name) else { continue }
      return list.append(
        "It would be valid if \(name), the field \(text.name), were a configured app.")
    }
    if let app = inspector.keys.values.map(\.appID).sorted().first(where: isHash) {
      list.append("It would be valid for \(app), an app of the report's keys.")
    }
  }

  /// Adds remarks on values that Apple's system signed and the app does not list.
  private mutating func addSignedValues(_ app: String, category: Bool, code: Bool) {
    if category {
      list.append("It would be accepted if \(app) listed this category and bundle version.")
    }
    if code { list.append("It would be accepted if \(app) listed this code hash.") }
  }

  // MARK: Attestations

  mutating func add(_ inspected: AttestationInspection) {
    guard let object = inspected.object else { return }
    let failed = Set(inspected.steps.filter(\.hasFailed).map(\.check))
    func hasFailed(_ check: AttestationCheck) -> Bool { failed.contains(.attestation(check)) }
    if hasFailed(.chainUntrusted) { list.append(chain(object)) }
    if hasFailed(.certificateTime) { addValidity(object) }
    if hasFailed(.nonceMismatch) { addNonce(object, inspected.receipt) }
    if hasFailed(.keyIDMismatch), let key = object.leafPublicKey {
      let id = Digest256.sha256(key.span)
      let known = inspector.knowledge(id).map { ", \($0)" } ?? ""
      list.append("It would be valid for the key identifier \(id.hex)\(known).")
    }
    if hasFailed(.appIDMismatch) {
      addApp(object.authenticatorData.rpIDHash, leafAppID: object.leafAppID)
    }
    if hasFailed(.environmentMismatch), let environment = object.credential.environment {
      list.append("It would be valid if the app allowed the environment \(environment.name).")
    }
    if hasFailed(.accessControl) {
      list.append("It would be accepted with trust.macOSAccessControl: ignore.")
    }
    addSignedValues(
      "the app", category: hasFailed(.categoryMismatch), code: hasFailed(.codeMismatch))
    if hasFailed(.receiptInvalid) { addReceipt(inspected.receipt, isAlone: failed.count == 1) }
    if hasFailed(.timeDisagrees), let created = inspected.judged?.signedTime {
      list.append(
        "It would be valid for a record time near \(CivilTime(milliseconds: created).text): the "
          + "server's clock, or a registration that was kept back.")
    }
  }

  private func chain(_ object: AttestationObject) -> String {
    let apple = AppleTrust.appAttestationRootCA
    if !inspector.settings.trustAnchors.contains(apple), isTrusted(object, anchors: [apple]) {
      return "It would be valid if Apple App Attestation Root CA were a trust anchor."
    }
    let chain = object.x5c
    if let leaf = chain.first, chain.dropFirst().contains(where: { leaf.isSigned(by: $0) }) {
      return "The leaf is signed by a certificate of x5c, whose issuer "
        + "\(chain.last?.issuerText ?? "") is no trust anchor."
    }
    return "No certificate of x5c has signed the leaf."
  }

  private func isTrusted(_ object: AttestationObject, anchors: [[UInt8]]) -> Bool {
    guard let leaf = object.x5c.first, let store = try? TrustStore(anchors: anchors)
    else { return false }
    let seconds = leaf.validity?.lowerBound ?? 0
    switch store.verify(leaf, others: Array(object.x5c.dropFirst()), at: seconds).verdict {
    case .trusted, .timeOnly: return true
    case .untrusted: return false
    }
  }

  private mutating func addValidity(_ object: AttestationObject) {
    let valid = object.x5c.compactMap(\.validity)
    guard let first = valid.map(\.lowerBound).max(), let last = valid.map(\.upperBound).min(),
      first <= last
    else { return }
    list.append(
      "It would be valid for a record time from \(CivilTime.text(seconds: first)) to "
        + "\(CivilTime.text(seconds: last)).")
  }

  private mutating func addNonce(_ object: AttestationObject, _ receipt: Receipt?) {
    guard let nonce = object.leafNonce else { return }
    func fits(_ hash: [UInt8]) -> Bool {
      Digest256.sha256(object.authData.span, hash.span) == nonce
    }
    if let guess = guesses().first(where: { fits($0.hash) }) {
      signedText = guess.words
      list.append(
        "It would be valid if the device had attested \(guess.words): the nonce fits that.")
    } else if let hash = receipt?.clientDataHash, fits(hash) {
      list.append(
        "It would be valid for the clientDataHash \(DetailText.hex(hash)), which the receipt (field 4) "
          + "names: the attestation was made for another challenge.")
    } else {
      list.append(
        "No change makes it valid. Every other field of the line was also tried as the signed data, both "
          + "as it is and decoded, and each without a hash, hashed once, and hashed twice.")
    }
  }

  private mutating func addReceipt(_ receipt: Receipt?, isAlone: Bool) {
    if let receipt, let time = record.time ?? receipt.creationTime,
      !inspector.settings.receiptAnchors.contains(AppleTrust.rootCAG3),
      let anchors = try? TrustAnchors(der: [AppleTrust.rootCAG3]),
      receipt.verify(anchors: anchors, at: time) == nil
    {
      list.append("Its signatures would be valid if Apple Root CA - G3 were a receipt anchor.")
    }
    if isAlone {
      list.append("The attestation is valid all the same: a receipt tells of no other key.")
    }
  }

  // MARK: Assertions

  mutating func add(_ inspected: AssertionInspection) {
    guard let parts = inspected.parts else { return }
    if inspected.hasFailed(.appID) { addApp(parts.assertion.rpIDHash, leafAppID: nil) }
    if let index = parts.appIndex {
      addSignedValues(
        inspector.verifier.apps.apps[index].id, category: inspected.hasFailed(.category),
        code: inspected.hasFailed(.code))
    }
    let signature = inspected.outcome(.assertion(.signature))
    guard let hash = record.clientDataHash, signature != .passed else { return }
    list.append(signer(parts, hash, isUnknown: !inspected.hasFailed(.signature)))
  }

  /// Returns a remark on the key that made the signature, and on the signed data.
  private mutating func signer(
    _ parts: AssertionInspection.Parts, _ hash: [UInt8], isUnknown: Bool
  ) -> String {
    func nonce(_ hash: [UInt8]) -> Digest256 {
      Assertion.nonce(authenticatorData: parts.authenticatorData.span, clientDataHash: hash.span)
    }
    let own = AssertionInspection.signers(parts.signature, Assertion.digest(nonce: nonce(hash)))
    guard !own.isEmpty else {
      return "No key at all can have made this signature: its bytes are no ECDSA signature."
    }
    if let key = record.keyIdentifier, own.contains(key) {
      return "The signature is that of the key that hashes to the key identifier: only the key's "
        + "attestation is missing."
    }
    if let other = other(own) { return "It would be valid under another key: \(other)." }
    // The same message under other digests, then other messages.
    for guess in [LineTexts.Guess(words: "", hash: hash)] + guesses() {
      let nonce = nonce(guess.hash)
      for (digest, how) in [
        (Assertion.digest(nonce: nonce), ""), (nonce, ", hashed once instead of twice"),
      ] {
        if guess.words.isEmpty, how.isEmpty { continue }
        let keys = AssertionInspection.signers(parts.signature, digest)
        let what = guess.words.isEmpty ? "the recorded client data" : guess.words
        if let key = record.keyIdentifier, keys.contains(key) {
          signedText = what + how
          return "It would be valid if the device had signed \(what)\(how): the signature fits "
            + "that."
        }
        if let other = other(keys) {
          return "It would be valid for \(what)\(how), under another key: \(other)."
        }
      }
    }
    return isUnknown
      ? "The signature is not that of the key that the record names, over this client data or any "
        + "other text of the line."
      : "No change makes it valid. Every other field of the line was also tried as the signed data, both "
        + "as it is and decoded; also one hash in place of two, and other keys of the report."
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

/// The texts of a line: candidates for the signed data, for tokens, and for App IDs.
struct LineTexts {
  /// The line, as `init` reads it.
  private let line: SampleLine
  private let pointers: PointerTable

  init(_ line: [UInt8]) { (self.line, pointers) = SampleLine.read(line) }

  var texts: [(name: String, bytes: [UInt8])] { line.texts(pointers) }

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
