internal import OpenSSL

/// A well-formed attestation with what its checks need: one function for each check, which gives
/// nil where it holds, else one sentence.
struct AttestationUnderTest {
  let content: AttestationContent
  let leaf: LeafFacts
  let keyIdentifier: Digest256
  /// SHA-256(authData ‖ clientDataHash).
  let nonce: Digest256
  let matchesApp: Bool
  let appIndex: Int?
  let hasAppID: Bool

  /// The facts of the attestation, before any check.
  var unjudged: JudgedAttestation {
    let data = content.authenticatorData
    return JudgedAttestation(
      appIndex: appIndex, environment: content.credential.environment, publicKey: leaf.publicKey,
      counter: data.counter, nonce: nonce, osVersion: leaf.osVersion,
      category: data.extensions.category.value,
      bundleVersion: data.extensions.bundleVersion.value ?? "")
  }

  /// All checks but those of the receipt, in their order; `chain` is the verdict on the certificates.
  func failures(apps: ConfiguredApps, chain: ChainVerdict) -> [FailedCheck] {
    var failures: [FailedCheck] = []
    func note(_ check: AttestationCheck, _ detail: String?) {
      if let detail { failures.append(FailedCheck(check: check, detail: detail)) }
    }
    note(.format, format)
    switch chain {
    case .trusted: break
    case .timeOnly:
      note(
        .certificateTime,
        "A certificate of the chain is not valid at the time of the record.")
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
    content.format == "apple-appattest" ? nil : "The attestation format is not apple-appattest."
  }

  private var nonceMismatch: String? {
    guard let stated = leaf.nonce else {
      return "The leaf certificate holds no nonce."
    }
    return stated == nonce
      ? nil : "The nonce in the leaf certificate is not that of authData and clientDataHash."
  }

  private var keyIDMismatch: String? {
    guard let publicKey = leaf.publicKey else {
      return "The leaf certificate's key is not on P-256."
    }
    return Digest256.sha256(publicKey.span) == keyIdentifier
      ? nil : "The key identifier is not the hash of the leaf certificate's public key."
  }

  private var publicKeyMismatch: String? {
    guard let stated = content.credential.publicKey else {
      return "The COSE key is not an ES256 key on P-256."
    }
    return stated == leaf.publicKey
      ? nil : "The COSE key is not the leaf certificate's public key."
  }

  private func appIDMismatch(_ apps: ConfiguredApps) -> String? {
    if matchesApp { return nil }
    guard hasAppID else { return "The rpIdHash is that of no configured app." }
    return appIndex == nil
      ? "The App ID is not a configured one." : "The rpIdHash is not that of the App ID."
  }

  private var counterNonzero: String? {
    let counter = content.authenticatorData.counter
    return counter == 0 ? nil : "The sign counter is \(counter) and not 0."
  }

  private func environmentMismatch(_ apps: ConfiguredApps) -> String? {
    guard let environment = content.credential.environment else {
      return "The aaguid names no App Attest environment."
    }
    guard let appIndex, !apps.apps[appIndex].environments.contains(environment) else { return nil }
    return "The environment is \(environment.name), which the app does not allow."
  }

  private var credentialIDMismatch: String? {
    content.credential.credentialID == keyIdentifier.bytes
      ? nil : "The credential identifier is not the key identifier."
  }
}
