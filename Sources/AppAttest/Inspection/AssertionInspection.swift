internal import OpenSSL

/// The result of every check of one assertion.
package struct AssertionInspection: Sendable {
  /// The steps in the order of the checks. The first is whether the token is an assertion.
  package let steps: [InspectionStep]
  /// The contents, or nil if the token is malformed.
  package let parts: Parts?

  /// The contents of the token.
  package struct Parts: Sendable {
    package let assertion: Assertion
    package let authenticatorData: [UInt8]
    /// The signature in DER, unchanged.
    package let signature: [UInt8]
    /// The index of the configured app, or nil if it is none of them.
    package let appIndex: Int?
  }

  private static let titles: [(InspectedCheck, String, String)] = [
    (.assertionForm, "", "the token is an assertion"),
    (.assertion(.category), "", "category and bundle version are allowed"),
    (.assertion(.appID), "4", "rpIdHash is that of the App ID"),
    (.assertion(.signature), "1-3", "the signature holds under the key"),
  ]

  /// Runs every check whose inputs exist.
  package init(token: Span<UInt8>, of record: InspectedRecord, apps: ConfiguredApps) {
    var steps = Self.titles.map { check, apple, title in
      InspectionStep(
        check, apple: apple, title: title, outcome: .notChecked("the token is malformed"))
    }
    let assertion: Assertion
    do throws(MalformedToken) {
      assertion = try Assertion.parse(token)
    } catch {
      steps[0].outcome = .failed(error.reason)
      self.steps = steps
      parts = nil
      return
    }
    let (matches, index) = apps.judge(appID: record.appID, rpIDHash: assertion.rpIDHash)
    let parts = Parts(
      assertion: assertion,
      authenticatorData: assertion.withAuthenticatorData(in: token) { $0.copied() },
      signature: assertion.withSignature(in: token) { $0.copied() }, appIndex: index)
    steps[0].outcome = .passed
    steps[1].compared = InspectionStep.comparisons(
      index.map { apps.apps[$0] }, assertion.extensions)
    steps[1].outcome = Self.category(index, assertion.extensions, apps)
    steps[2].compared = [
      InspectionStep.comparison(apps, appID: record.appID, rpIDHash: assertion.rpIDHash)
    ]
    steps[2].outcome =
      apps.apps.isEmpty
      ? .notChecked("no app is configured")
      : matches
        ? .passed
        : .failed(apps.mismatch(appID: record.appID, rpIDHash: assertion.rpIDHash))
    if matches, let index, let attested = record.attestedApp, attested != index {
      steps[2].outcome = .failed(
        apps.attestedElsewhere(attested: apps.apps[attested].id, asserted: index))
    }
    let digest = record.clientDataHash.map { hash in
      Assertion.digest(
        nonce: Assertion.nonce(
          authenticatorData: parts.authenticatorData.span, clientDataHash: hash.span))
    }
    steps[3].outcome = Self.signature(parts.signature, digest, record)
    if let digest {
      steps[3].compared = [
        .init(
          "signing key", expected: record.keyIdentifier?.hex ?? "not known",
          found: Self.signers(parts.signature, digest).map(\.hex).joined(separator: " or "))
      ]
    }
    self.steps = steps
    self.parts = parts
  }

  /// Returns the identifiers of the keys under which a signature holds: the SHA-256 of each.
  package static func signers(_ signature: [UInt8], _ digest: Digest256) -> [Digest256] {
    P256Recovery.keys(digest: digest.bytes, signatureDER: signature).map { .sha256($0.span) }
  }

  private static func category(
    _ index: Int?, _ extensions: AuthenticatorExtensions, _ apps: ConfiguredApps
  ) -> InspectionStep.Outcome {
    guard let index else { return .notChecked("the app is not a configured one") }
    if let missing = InspectionStep.missingCategory(apps.apps[index], extensions) {
      return .notChecked(missing)
    }
    return apps.categoryFailure(index: index, extensions: extensions).map { .failed($0) } ?? .passed
  }

  private static func signature(
    _ signature: [UInt8], _ digest: Digest256?, _ record: InspectedRecord
  ) -> InspectionStep.Outcome {
    guard let digest else { return .notChecked("the clientDataHash is missing") }
    guard let point = record.publicKey, let key = P256PublicKey(point: point) else {
      return .notChecked("the key's attestation, and so its public key, is missing")
    }
    let holds = digest.withSpan {
      P256Verifier().verify(digest: $0, signatureDER: signature.span, key: key)
    }
    return holds ? .passed : .failed(SigningKey.signatureFailure)
  }
}

extension ConfiguredApps {
  /// Returns why a key that was attested for one app may not sign for another, as one sentence.
  package func attestedElsewhere(attested: String, asserted index: Int) -> String {
    "The key was attested for \(attested), the assertion is of \(apps[index].id)."
  }
}

extension SigningKey {
  /// The sentence on an assertion's signature that does not hold.
  package static let signatureFailure = "The signature does not hold under the key's public key."
}
