internal import Basics
internal import OpenSSL

/// The outcome of checking an attestation's certificates.
struct ChainOutcome {
  var verdict: ChainVerdict
  /// The certificate that is not valid at the time, if that is the only fault and can be told.
  var fault: String?

  /// Whether the certificates lead to a trust anchor, be they valid at the time or not.
  var isTrusted: Bool {
    if case .untrusted = verdict { return false }
    return true
  }
}

/// A well-formed attestation. Each check has one function, which returns one sentence or nil.
struct AttestationUnderTest {
  let content: AttestationContent
  let leaf: LeafFacts
  /// SHA-256(authData ‖ clientDataHash).
  let nonce: Digest256
  let matchesApp: Bool
  let appIndex: Int?
  let record: AttestationRecord

  /// Whether the nonce does not match client data that the log did not keep as it was.
  var isNonceUnchecked: Bool {
    record.isLossy && leaf.nonce.map { $0 != nonce } == true
  }

  var unjudged: JudgedAttestation {
    let data = content.authenticatorData
    return JudgedAttestation(
      appIndex: appIndex, environment: content.credential.environment, publicKey: leaf.publicKey,
      counter: data.counter, nonce: nonce, origin: leaf.origin, extensions: data.extensions,
      isNonceUnchecked: isNonceUnchecked)
  }

  /// Returns the failures of all checks but those of the receipt, in their order.
  func failures(
    apps: ConfiguredApps, chain: ChainOutcome, macOSAccessControl: MacOSAccessControlPolicy
  ) -> [FailedCheck] {
    var failures: [FailedCheck] = []
    func note(_ check: AttestationCheck, _ detail: String?) {
      if let detail { failures.append(FailedCheck(check: check, detail: detail)) }
    }
    note(.format, format)
    switch chain.verdict {
    case .trusted: break
    case .timeOnly:
      note(
        .certificateTime,
        "A certificate of the chain is not valid at the time of the record, "
          + CivilTime(milliseconds: record.time).text + (chain.fault.map { ": \($0)." } ?? "."))
    case .untrusted(let reason):
      note(.chainUntrusted, "The certificates do not chain to a trust anchor: \(reason).")
    }
    note(.nonceMismatch, nonceMismatch)
    note(.keyIDMismatch, keyIDMismatch)
    note(.publicKeyMismatch, publicKeyMismatch)
    note(.appIDMismatch, appIDMismatch(apps))
    note(.counterNonzero, counterNonzero)
    note(.environmentMismatch, environmentMismatch(apps))
    note(.credentialIDMismatch, credentialIDMismatch)
    if macOSAccessControl == .verify {
      note(.accessControl, AccessControlPolicy().evaluate(leaf.origin).reason)
    }
    let extensions = content.authenticatorData.extensions
    note(.categoryMismatch, apps.categoryFailure(index: appIndex, extensions: extensions))
    note(.codeMismatch, apps.codeFailure(index: appIndex, extensions: extensions))
    return failures
  }

  private var format: String? {
    content.format == "apple-appattest"
      ? nil
      : "The attestation format is \(DetailText.quoted(content.format)), not apple-appattest."
  }

  private var nonceMismatch: String? {
    guard let stated = leaf.nonce else { return "The leaf certificate contains no nonce." }
    return stated == nonce || record.isLossy
      ? nil
      : "The nonce in the leaf certificate is \(stated.hex) instead of \(nonce.hex) (SHA-256 of "
        + "authData and clientDataHash)."
  }

  private var keyIDMismatch: String? {
    guard let publicKey = leaf.publicKey else {
      return "The leaf certificate's key is not on P-256."
    }
    let actual = Digest256.sha256(publicKey.span)
    return actual == record.keyIdentifier
      ? nil
      : "The key identifier is \(record.keyIdentifier.hex), but the leaf certificate's public key hashes to "
        + "\(actual.hex)."
  }

  private var publicKeyMismatch: String? {
    guard let stated = content.credential.publicKey else {
      return "The COSE key is not an ES256 key on P-256."
    }
    if let key = leaf.publicKey, stated.span.equals(key.span) { return nil }
    let leafKey = leaf.publicKey.map { "which hashes to \(DetailText.digest($0))" }
    return "The COSE key, which hashes to \(DetailText.digest(stated)), is not the leaf "
      + "certificate's public key, \(leafKey ?? "which is not on P-256")."
  }

  private func appIDMismatch(_ apps: ConfiguredApps) -> String? {
    matchesApp
      ? nil : apps.mismatch(appID: record.appID, rpIDHash: content.authenticatorData.rpIDHash)
  }

  private var counterNonzero: String? {
    let counter = content.authenticatorData.counter
    return counter == 0 ? nil : "The sign counter is \(counter), not 0."
  }

  private func environmentMismatch(_ apps: ConfiguredApps) -> String? {
    guard let environment = content.credential.environment else {
      return
        "The aaguid \(DetailText.hex(content.credential.aaguid)) names no App Attest environment."
    }
    return appIndex.flatMap { EnvironmentPolicy(apps.apps[$0]).evaluate(environment).reason }
  }

  private var credentialIDMismatch: String? {
    record.keyIdentifier.withSpan { content.credential.credentialID.span.equals($0) }
      ? nil
      : "The credential identifier is \(DetailText.hex(content.credential.credentialID)), not the key "
        + "identifier, \(record.keyIdentifier.hex)."
  }

  /// Returns why the record's time does not fit Apple's signed time, or nil if it does.
  func timeDisagrees(with signed: Int64, maxAge: Int64) -> String? {
    let tolerance = AttestationVerifier.clockTolerance
    let late = record.time.subtractingReportingOverflow(signed)
    guard late.overflow || late.partialValue > maxAge || late.partialValue < -tolerance else {
      return nil
    }
    let isAfter = late.overflow ? record.time > signed : late.partialValue > 0
    let distance = late.overflow ? UInt64.max : late.partialValue.magnitude
    return "The record's time, \(CivilTime(milliseconds: record.time).text), is "
      + "\(DetailText.duration(distance)) \(isAfter ? "after" : "before") Apple's signed time of the "
      + "attestation, \(CivilTime(milliseconds: signed).text): more than the "
      + "\(DetailText.duration((isAfter ? maxAge : tolerance).magnitude)) allowed."
  }
}
