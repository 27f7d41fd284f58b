@testable import AppAttest

/// CBOR and authenticator data: the quick readers say what the strict one says.
struct CBORTarget: FuzzTarget {
  static let name = "cbor"
  static let limit = 4096

  static func seeds() throws -> [[UInt8]] {
    let assertions = try FuzzSeeds.tokens("assertion").prefix(6)
    let data = try FuzzSeeds.tokens("attestation").compactMap { token in
      try? AttestationObject.parse(token.span).authData
    }
    return assertions + data
  }

  /// What a token is read as, in full.
  private struct Outcome: Equatable {
    var reason = ""
    var signature: [UInt8] = []
    var data: [UInt8] = []
    var counter: UInt32 = 0
    var rpIDHash = Digest256()
    var extensions: AuthenticatorExtensions?
  }

  func run(_ bytes: [UInt8]) {
    let isOneItem = (try? CBORReader.checkOneItem(bytes.span)) != nil
    let outcome = outcome(bytes, Assertion.parse(_:))
    require(
      outcome == self.outcome(bytes, Assertion.parse(any:)), "read otherwise in the quick way")
    require(!outcome.reason.isEmpty || isOneItem, "an assertion that is no item")
    require(
      outcome.reason.isEmpty == false || AppAttestSniffer.isAppAttestObject(bytes.span),
      "an assertion that is passed over")
    if let data = try? AuthenticatorData.parseAssertion(bytes.span) {
      require(data.rpIDHash.bytes == Array(bytes[..<32]), "another rpIdHash")
      let extensions = Array(bytes[37...])
      let isWhole = extensions.isEmpty || (try? CBORReader.checkOneItem(extensions.span)) != nil
      require(isWhole, "extensions that are no item")
    }
    if let data = try? AuthenticatorData.parseAttestation(bytes.span) {
      require(data.credential != nil, "no credential")
    }
  }

  private func outcome(
    _ token: [UInt8], _ parse: (Span<UInt8>) throws(MalformedToken) -> Assertion
  ) -> Outcome {
    do throws(MalformedToken) {
      let assertion = try parse(token.span)
      return Outcome(
        signature: assertion.withSignature(in: token.span) { $0.copied() },
        data: assertion.withAuthenticatorData(in: token.span) { $0.copied() },
        counter: assertion.counter, rpIDHash: assertion.rpIDHash,
        extensions: assertion.extensions)
    } catch {
      return Outcome(reason: error.reason)
    }
  }
}
