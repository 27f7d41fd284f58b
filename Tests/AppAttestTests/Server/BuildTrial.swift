import AppAttest

/// Counts the builds of an app that send requests, and what a policy would refuse, before a server enforces it.
struct BuildTrial {
  private let app: AppPolicy
  /// The number of tokens of each build.
  private(set) var builds: [String: Int] = [:]
  /// The number of tokens that the policy would refuse, by reason.
  private(set) var refused: [String: Int] = [:]

  init(app: AppPolicy) { self.app = app }

  /// Counts a new key.
  mutating func count(_ attestation: VerifiedAttestation) {
    count(attestation.extensions, attestation.origin.platform)
    count(AccessControlPolicy().evaluate(attestation.origin))
  }

  /// Counts a request of a key, whose platform the server keeps.
  mutating func count(_ assertion: JudgedAssertion, of platform: KeyPlatform) {
    count(assertion.extensions, platform)
  }

  private mutating func count(_ signed: AuthenticatorExtensions, _ platform: KeyPlatform) {
    let values = [
      platform.name, signed.category.value?.name, signed.bundleVersion.value,
      signed.codeHash.value?.hex,
    ]
    builds[values.compactMap(\.self).joined(separator: " "), default: 0] += 1
    count(CategoryPolicy(app).evaluate(signed))
    count(BundleVersionPolicy(app).evaluate(signed))
    count(CodeHashPolicy(app).evaluate(signed))
  }

  private mutating func count(_ outcome: PolicyOutcome) {
    if let reason = outcome.reason { refused[reason, default: 0] += 1 }
  }
}
