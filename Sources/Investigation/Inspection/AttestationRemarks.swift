internal import AppAttest
internal import AuditEngine
internal import Basics
internal import OpenSSL

/// Remarks on a failed attestation: the changes that would make it hold.
struct AttestationRemarks {
  let inspector: Inspector
  let record: InspectedRecord
  let inspected: AttestationInspection
  let line: [UInt8]

  /// Returns the remarks, a sentence each, and sets the text that was attested if it is another one of the line.
  func list(_ signedText: inout String?) -> [String] {
    guard let object = inspected.object else { return [] }
    var remarks: [String] = []
    let failed = Set(inspected.steps.filter(\.hasFailed).map(\.check))
    if failed.contains(.attestation(.chainUntrusted)) { remarks += chain(object) }
    if failed.contains(.attestation(.certificateTime)) { remarks += validity(object) }
    if failed.contains(.attestation(.nonceMismatch)) { remarks += nonce(object, &signedText) }
    if failed.contains(.attestation(.keyIDMismatch)), let key = object.leafPublicKey {
      let id = Digest256.sha256(key.span)
      let known = inspector.knowledge(id).map { ", \($0)" } ?? ""
      remarks.append("It would be valid for the key identifier \(id.hex)\(known).")
    }
    if failed.contains(.attestation(.appIDMismatch)) {
      remarks += TokenRemarks.app(
        object.authenticatorData.rpIDHash, inspector, line: line, leafAppID: object.leafAppID)
    }
    if failed.contains(.attestation(.environmentMismatch)),
      let environment = object.credential.environment
    {
      remarks.append(
        "It would be valid if the app allowed the environment \(environment.name).")
    }
    if failed.contains(.attestation(.accessControl)) {
      remarks.append("It would be accepted with trust.macOSAccessControl: ignore.")
    }
    remarks += TokenRemarks.signedValues(
      "the app", category: failed.contains(.attestation(.categoryMismatch)),
      code: failed.contains(.attestation(.codeMismatch)))
    if failed.contains(.attestation(.receiptInvalid)) {
      remarks += receipt(object, isCategoryOnly: failed.count == 1)
    }
    if failed.contains(.attestation(.timeDisagrees)), let created = inspected.judged?.signedTime {
      remarks.append(
        "It would be valid for a record time near \(CivilTime(milliseconds: created).text): the "
          + "server's clock, or a registration that was kept back.")
    }
    return remarks
  }

  private func chain(_ object: AttestationObject) -> [String] {
    let apple = AppleTrust.appAttestationRootCA
    if !inspector.settings.trustAnchors.contains(apple), holds(object, anchors: [apple]) {
      return ["It would be valid if Apple App Attestation Root CA were a trust anchor."]
    }
    let chain = object.x5c
    if let leaf = chain.first, chain.dropFirst().contains(where: { leaf.isSigned(by: $0) }) {
      return [
        "The leaf is signed by a certificate of x5c, whose issuer \(chain.last?.issuerText ?? "") is "
          + "no trust anchor."
      ]
    }
    return ["No certificate of x5c has signed the leaf."]
  }

  private func holds(_ object: AttestationObject, anchors: [[UInt8]]) -> Bool {
    guard let leaf = object.x5c.first, let store = try? TrustStore(anchors: anchors)
    else { return false }
    let seconds = leaf.validity?.lowerBound ?? 0
    switch store.verify(leaf, others: Array(object.x5c.dropFirst()), at: seconds).verdict {
    case .trusted, .timeOnly: return true
    case .untrusted: return false
    }
  }

  private func validity(_ object: AttestationObject) -> [String] {
    let valid = object.x5c.compactMap(\.validity)
    guard let first = valid.map(\.lowerBound).max(), let last = valid.map(\.upperBound).min(),
      first <= last
    else { return [] }
    return [
      "It would be valid for a record time from \(CivilTime.text(seconds: first)) to "
        + "\(CivilTime.text(seconds: last))."
    ]
  }

  private func nonce(_ object: AttestationObject, _ signedText: inout String?) -> [String] {
    guard let nonce = object.leafNonce else { return [] }
    func fits(_ hash: [UInt8]) -> Bool {
      Digest256.sha256(object.authData.span, hash.span) == nonce
    }
    for guess in LineTexts(line).guesses(besides: record.clientDataHash)
    where fits(guess.hash) {
      signedText = guess.words
      return ["It would be valid if the device had attested \(guess.words): the nonce fits that."]
    }
    if let hash = inspected.receipt?.clientDataHash, fits(hash) {
      return [
        "It would be valid for the clientDataHash \(DetailText.hex(hash)), which the receipt (field 4) "
          + "names: the attestation was made for another challenge."
      ]
    }
    return [
      "No change makes it valid. Every other field of the line was tried as client data, raw and "
        + "decoded, each hashed once, twice or not at all."
    ]
  }

  private func receipt(_ object: AttestationObject, isCategoryOnly: Bool) -> [String] {
    var remarks: [String] = []
    if let receipt = inspected.receipt, let time = record.time ?? receipt.creationTime,
      !inspector.settings.receiptAnchors.contains(AppleTrust.rootCAG3),
      let anchors = try? TrustAnchors(der: [AppleTrust.rootCAG3]),
      receipt.verify(anchors: anchors, at: time) == nil
    {
      remarks.append("Its signatures would be valid if Apple Root CA - G3 were a receipt anchor.")
    }
    if isCategoryOnly {
      remarks.append("The attestation is valid all the same: a receipt tells of no other key.")
    }
    return remarks
  }
}
