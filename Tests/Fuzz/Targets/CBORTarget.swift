import TestSupport

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

  func run(_ bytes: [UInt8]) {
    let isOneItem = (try? CBORReader.checkOneItem(bytes.span)) != nil
    let reading = AssertionReading(bytes, Assertion.parse(_:))
    require(
      reading == AssertionReading(bytes, Assertion.parse(any:)), "read otherwise in the quick way")
    require(!reading.reason.isEmpty || isOneItem, "an assertion that is no item")
    require(
      !reading.reason.isEmpty || AppAttestSniffer.isAppAttestObject(bytes.span),
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
}
