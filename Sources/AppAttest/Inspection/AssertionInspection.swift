internal import OpenSSL

package struct AssertionInspection: Sendable {
  /// The steps in the order of the checks. The first is whether the token is an assertion.
  package let steps: [InspectionStep]
  /// The contents, or nil if the token is malformed.
  package let parts: Parts?

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
    (.assertion(.code), "", "the signed code hash is allowed"),
    (.assertion(.appID), "4", "rpIdHash is that of the App ID"),
    (.assertion(.signature), "1-3", "the signature is valid under the key"),
  ]

  package func outcome(_ check: InspectedCheck) -> InspectionStep.Outcome? {
    steps.first { $0.check == check }?.outcome
  }

  package func hasFailed(_ check: AssertionCheck) -> Bool {
    steps.contains { $0.check == .assertion(check) && $0.hasFailed }
  }

  package init(token: Span<UInt8>, of record: InspectedRecord, apps: ConfiguredApps) {
    var steps = Self.titles.map { check, apple, title in
      InspectionStep(
        check: check, apple: apple, title: title, outcome: .notChecked("the token is malformed"))
    }
    func set(
      _ check: InspectedCheck, _ outcome: InspectionStep.Outcome,
      _ compared: [InspectionStep.Comparison] = []
    ) {
      guard let index = steps.firstIndex(where: { $0.check == check }) else { return }
      steps[index].outcome = outcome
      steps[index].compared = compared
    }
    let assertion: Assertion
    do throws(MalformedToken) {
      assertion = try Assertion.parse(token)
    } catch {
      set(.assertionForm, .failed(error.reason))
      self.steps = steps
      parts = nil
      return
    }
    let (matches, index) = apps.judge(appID: record.appID, rpIDHash: assertion.rpIDHash)
    let parts = Parts(
      assertion: assertion,
      authenticatorData: assertion.withAuthenticatorData(in: token) { $0.copied() },
      signature: assertion.withSignature(in: token) { $0.copied() }, appIndex: index)
    set(.assertionForm, .passed)
    let extensions = assertion.extensions
    func setSigned(_ check: AssertionCheck, _ values: [SignedValue], _ failure: String?) {
      let app = index.map { apps.apps[$0] }
      let missing = InspectionStep.missing(values, app, extensions)
      set(
        .assertion(check),
        failure.map { .failed($0) } ?? missing.map { .notChecked($0) } ?? .passed,
        InspectionStep.comparisons(values, app, extensions))
    }
    setSigned(
      .category, [.category, .bundleVersion],
      apps.categoryFailure(index: index, extensions: extensions))
    setSigned(.code, [.codeHash], apps.codeFailure(index: index, extensions: extensions))
    var app = InspectionStep.Outcome.passed
    if apps.apps.isEmpty {
      app = .notChecked("no app is configured")
    } else if !matches {
      app = .failed(apps.mismatch(appID: record.appID, rpIDHash: assertion.rpIDHash))
    } else if let index, let attested = record.attestedApp, attested != index {
      app = .failed(apps.attestedElsewhere(attested: apps.apps[attested].id, asserted: index))
    }
    set(
      .assertion(.appID), app,
      [InspectionStep.comparison(apps, appID: record.appID, rpIDHash: assertion.rpIDHash)])
    let digest = record.clientDataHash.map { hash in
      Assertion.digest(
        nonce: Assertion.nonce(
          authenticatorData: parts.authenticatorData.span, clientDataHash: hash.span))
    }
    set(
      .assertion(.signature), Self.signature(parts.signature, digest, record),
      digest.map { digest in
        [
          .init(
            name: "signing key", expected: record.keyIdentifier?.hex ?? "not known",
            found: Self.signers(parts.signature, digest).map(\.hex).joined(separator: " or "))
        ]
      } ?? [])
    self.steps = steps
    self.parts = parts
  }

  /// Returns the identifiers of the keys under which a signature is valid: the SHA-256 of each.
  package static func signers(_ signature: [UInt8], _ digest: Digest256) -> [Digest256] {
    P256Recovery.keys(digest: digest.bytes, signatureDER: signature).map { .sha256($0.span) }
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
    if holds { return .passed }
    return record.isLossy ? .lossy : .failed(SigningKey.signatureFailure)
  }
}

extension ConfiguredApps {
  /// Returns why a key that was attested for one app may not sign for another, as one sentence.
  package func attestedElsewhere(attested: String, asserted index: Int) -> String {
    "The key was attested for \(attested), the assertion is of \(apps[index].id)."
  }
}

extension SigningKey {
  /// The sentence about an assertion whose signature is invalid.
  package static let signatureFailure = "The signature is invalid under the key's public key."
}
