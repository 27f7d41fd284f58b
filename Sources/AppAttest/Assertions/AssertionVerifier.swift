internal import OpenSSL

/// A verifier that judges assertions of one key (Apple, "Validating apps that connect to your
/// server"), as a server does with each request. It may be shared by threads. It uses no clock and
/// no I/O.
///
/// ``AttestationVerifier`` determines the key. For each key a server keeps the public key, the App
/// ID and the counter of the last assertion that it accepted. It changes the counter together with
/// the effects of the request: of two requests at one time only one may find the old counter.
public struct AssertionVerifier: Sendable {
  private let key: P256PublicKey
  private let app: AppPolicy
  private let rpIDHash: Digest256

  /// Makes the verifier of a key (``VerifiedAttestation/publicKey``) that was attested for the app,
  /// or nil if it is not a point on P-256.
  public init?(publicKey: [UInt8], app: AppPolicy) {
    guard let key = P256PublicKey(point: publicKey) else { return nil }
    self.key = key
    self.app = app
    rpIDHash = .sha256(Array(app.id.utf8).span)
  }

  /// Runs every check of a token. `clientDataHash` is what the app passed to App Attest: the
  /// SHA-256 of the request that it protects, with the challenge in it.
  public func judge(
    token: Span<UInt8>, clientDataHash: Span<UInt8>, counters: CounterPolicy
  ) -> AssertionJudgement {
    let assertion: Assertion
    do throws(MalformedToken) {
      assertion = try Assertion.parse(token)
    } catch {
      return .malformed(error.reason)
    }
    var judged = JudgedAssertion(counter: assertion.counter, extensions: assertion.extensions)
    func note(_ check: AssertionCheck, _ outcome: PolicyOutcome) {
      if let reason = outcome.reason {
        judged.failures.append(JudgedAssertion.Failure(check: check, detail: reason))
      }
    }
    note(.category, CategoryPolicy(app).evaluate(assertion.extensions))
    note(.category, BundleVersionPolicy(app).evaluate(assertion.extensions))
    note(.code, CodeHashPolicy(app).evaluate(assertion.extensions))
    note(
      .appID,
      assertion.rpIDHash == rpIDHash
        ? .meets
        : .fails(
          reason: "The rpIdHash \(assertion.rpIDHash.hex) is not that of the App ID, \(app.id)."))
    let digest = assertion.digest(in: token, clientDataHash: clientDataHash)
    let holds = digest.withSpan { digest in
      assertion.withSignature(in: token) {
        P256Verifier().verify(digest: digest, signatureDER: $0, key: key)
      }
    }
    note(.signature, holds ? .meets : .fails(reason: SigningKey.signatureFailure))
    note(.counter, counters.evaluate(assertion.counter))
    return .judged(judged)
  }
}
