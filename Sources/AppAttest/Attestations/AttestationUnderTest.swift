internal import Basics
internal import OpenSSL

/// The outcome of checking an attestation's certificates.
struct ChainOutcome {
  var verdict: ChainVerdict
  /// The certificate that is not valid at the time, if that is the only fault of the chain. Nil if
  /// it cannot be determined.
  var fault: String?
}

/// A well-formed attestation with the inputs of its checks. Each check has one function, which
/// returns one sentence, or nil if the check passes.
struct AttestationUnderTest {
  let content: AttestationContent
  let leaf: LeafFacts
  let keyIdentifier: Digest256
  /// SHA-256(authData ‖ clientDataHash).
  let nonce: Digest256
  let matchesApp: Bool
  let appIndex: Int?
  /// The App ID that the record names.
  let appID: String?

  /// The facts of the attestation, before any check.
  var unjudged: JudgedAttestation {
    let data = content.authenticatorData
    return JudgedAttestation(
      appIndex: appIndex, environment: content.credential.environment, publicKey: leaf.publicKey,
      counter: data.counter, nonce: nonce, osVersion: leaf.osVersion,
      category: data.extensions.category.value,
      bundleVersion: data.extensions.bundleVersion.value ?? "")
  }

  /// Returns the failures of all checks but those of the receipt, in their order.
  func failures(apps: ConfiguredApps, chain: ChainOutcome, time: Int64) -> [FailedCheck] {
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
          + CivilTime(milliseconds: time).text + (chain.fault.map { ": \($0)." } ?? "."))
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
    note(
      .categoryMismatch,
      appIndex.flatMap {
        apps.categoryFailure(index: $0, extensions: content.authenticatorData.extensions)
      })
    return failures
  }

  private var format: String? {
    content.format == "apple-appattest"
      ? nil
      : "The attestation format is \(DetailText.quoted(content.format)), not apple-appattest."
  }

  private var nonceMismatch: String? {
    guard let stated = leaf.nonce else {
      return "The leaf certificate holds no nonce."
    }
    return stated == nonce
      ? nil
      : "The nonce in the leaf certificate is \(stated.hex), not that of authData and clientDataHash, "
        + "\(nonce.hex)."
  }

  private var keyIDMismatch: String? {
    guard let publicKey = leaf.publicKey else {
      return "The leaf certificate's key is not on P-256."
    }
    let actual = Digest256.sha256(publicKey.span)
    return actual == keyIdentifier
      ? nil
      : "The key identifier is \(keyIdentifier.hex), but the leaf certificate's public key hashes to "
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
      ? nil : apps.mismatch(appID: appID, rpIDHash: content.authenticatorData.rpIDHash)
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
    keyIdentifier.withSpan { content.credential.credentialID.span.equals($0) }
      ? nil
      : "The credential identifier is \(DetailText.hex(content.credential.credentialID)), not the key "
        + "identifier, \(keyIdentifier.hex)."
  }
}
