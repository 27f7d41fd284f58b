import LogForge
import OpenSSL
import SignatureBatch
import TestSupport

@testable import AppAttest

extension FuzzTarget {
  /// CBOR and authenticator data: the quick readers say what the strict one says.
  static let cbor = FuzzTarget(
    name: "cbor", limit: 4096, mutations: 6000,
    seeds: {
      let assertions = try FuzzSeeds.tokens("assertion").prefix(6)
      let data = try FuzzSeeds.tokens("attestation").compactMap { token in
        try? AttestationObject.parse(token.span).authData
      }
      return assertions + data
    },
    prepare: {
      { bytes in
        let isOneItem = (try? CBORReader.checkOneItem(bytes.span)) != nil
        let reading = AssertionReading(bytes, Assertion.parse(_:))
        require(
          reading == AssertionReading(bytes, Assertion.parse(any:)),
          "read otherwise in the quick way")
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
    })

  /// An attestation, whole or with one part in place of a good one: the walks without OpenSSL judge what
  /// holds as OpenSSL does, and a certificate that they read is one that OpenSSL reads alike.
  static let attestation = FuzzTarget(
    name: "attestation", limit: 16_384, mutations: 300,
    seeds: {
      try FuzzSeeds.tokens("attestation").flatMap { token -> [[UInt8]] in
        let pieces = try AttestationPieces(token)
        return [[0] + token] + pieces.all.enumerated().map { [UInt8($0 + 1)] + $1 }
      }
    },
    prepare: {
      try FuzzedAttestations().run
    })

  /// A receipt: what the walk reads, OpenSSL reads alike; and no content of it is taken for fields that it
  /// has not.
  static let receipt = FuzzTarget(
    name: "receipt", limit: 8192, mutations: 600,
    seeds: {
      try FuzzSeeds.tokens("attestation").flatMap { token in
        let receipt = try AttestationStatement(token.span).receipt?.copy(from: token.span) ?? []
        let content = try CMSReceipt(receipt.span).content
        return [receipt, content]
      }
    },
    prepare: {
      { bytes in
        let content = content(of: bytes)
        if let ordinary = OrdinaryReceipt(bytes.span), let content {
          require(ordinary.content == content, "another content than OpenSSL's")
          require(ordinary.digests.last == .sha256(content.span), "another digest")
        }
        let receipt = try? Receipt.parse(bytes.span)
        let fields = content.flatMap { ReceiptFields($0) }
        require((receipt == nil) == (fields == nil), "parsed only in part")
        if let fields = ReceiptFields(bytes) {
          _ = (fields.text(2), fields.text(6), fields.time(12), fields.time(19), fields.time(21))
        }
        if let receipt {
          _ = (receipt.creationTime, receipt.expiry, receipt.environment, receipt.riskMetric)
        }
      }
    })

  /// A signature in DER behind a digest: read as strict DER and nothing else, and the keys that it leads
  /// back to are keys under which it holds.
  static let signature = FuzzTarget(
    name: "signature", limit: 160, mutations: 2000,
    seeds: {
      try FuzzSeeds.tokens("assertion").prefix(8).map { token in
        let assertion = try Assertion.parse(token.span)
        return [UInt8](repeating: 7, count: 32)
          + assertion.withSignature(in: token.span) { $0.copied() }
      }
    },
    prepare: {
      { bytes in
        let digest = Array((bytes + [UInt8](repeating: 0, count: 32))[..<32])
        let der = Array(bytes.dropFirst(32))
        let parsed = DERSignature.parse(der.span)
        let two = numbers(of: der, size: 32)
        if let parsed { require(two == parsed.r.bytes + parsed.s.bytes, "two readings") }
        if let two {
          let strict = DERWriter.signature(r: Array(two[..<32]), s: Array(two[32...]))
          require(strict == der, "a form that is not the strict one")
        }
        let wide = numbers(of: der, size: 48)
        require(two == nil || wide?.filter { $0 != 0 } == two?.filter { $0 != 0 }, "two sizes")
        let keys = P256Recovery.keys(digest: digest, signatureDER: der)
        require(parsed != nil || keys.isEmpty, "keys of what is no signature")
        for point in keys {
          guard let key = P256PublicKey(point: point) else { fail("a key that is no point") }
          let holds = P256Verifier().verify(digest: digest.span, signatureDER: der.span, key: key)
          require(holds, "a signature that is invalid under its key")
        }
      }
    })
}

/// Whole attestations, and those with a part in place of a good one.
private struct FuzzedAttestations {
  private let verifier: AttestationVerifier
  private let good: AttestationPieces
  private let record: AttestationRecord

  init() throws {
    verifier = try SyntheticDay.shared.verifier([
      AppPolicy(id: SyntheticApp.bank.id, environments: [.production, .development])
    ])
    let tokens = try FuzzSeeds.tokens("attestation")
    good = try AttestationPieces(tokens[0])
    let leaf = try Certificate(der: good.all[0])
    let publicKey = LeafFacts(leaf).publicKey ?? []
    record = AttestationRecord(
      keyIdentifier: .sha256(publicKey.span),
      clientDataHash: [UInt8](repeating: 7, count: 32), appID: nil,
      time: (leaf.validity?.lowerBound ?? 0) * 1000 + 60_000)
    // Issuers and signers are known from here on.
    for token in tokens { _ = verifier.judge(token: token.span, of: record) }
  }

  func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let part = Int(first) % (good.all.count + 1)
    let rest = Array(bytes.dropFirst())
    var pieces = good
    if part > 0 { pieces.all[part - 1] = rest }
    let token = part == 0 ? rest : pieces.token
    if part == 1 { walkLeaf(rest) }
    let slow = verifier.judge(token: token.span, of: record)
    guard let quick = verifier.read(token: token.span, of: record),
      let key = quick.judgement.publicKey, SignatureCurve.p256.isPoint(key.span),
      quick.holdsByOpenSSL
    else { return }
    guard case .judged(let judged) = slow else { fail("malformed, and read all the same") }
    require(judged == quick.judgement, "judged otherwise without OpenSSL")
  }

  private func walkLeaf(_ bytes: [UInt8]) {
    guard let leaf = OrdinaryLeaf(bytes.span) else { return }
    guard SignatureCurve.p256.isPoint(bytes.span.extracting(leaf.point)) else { return }
    let facts = LeafFacts(leaf, of: bytes)
    guard let certificate = try? Certificate(der: bytes) else { return }
    let expected = LeafFacts(certificate)
    require(facts.publicKey == expected.publicKey, "another public key")
    require(facts.nonce == expected.nonce, "another nonce")
    require(facts.origin == expected.origin, "another system")
    require(leaf.validity == certificate.validity, "another validity")
  }
}

extension AttestationPieces {
  /// The certificates, the receipt, the authenticator data.
  fileprivate var all: [[UInt8]] {
    get { certificates + [receipt, authData] }
    set {
      certificates = newValue.dropLast(2)
      receipt = newValue[newValue.count - 2]
      authData = newValue[newValue.count - 1]
    }
  }
}

/// Returns the content as OpenSSL reads it, or nil for bytes that are no receipt.
private func content(of bytes: [UInt8]) -> [UInt8]? {
  do throws(OpenSSLError) { return try CMSReceipt(bytes.span).content } catch { return nil }
}

/// Returns r ‖ s, `size` bytes each, or nil where the reader refuses.
private func numbers(of der: [UInt8], size: Int) -> [UInt8]? {
  var numbers = [UInt8](repeating: 0, count: 2 * size)
  let isStrict = unsafe numbers.withUnsafeMutableBytes {
    unsafe DERSignature.write(numbersOf: der.span, size: size, to: $0)
  }
  return isStrict ? numbers : nil
}
