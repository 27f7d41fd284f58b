package import OpenSSL

/// An attestation object as a device sends it, parsed and not yet judged.
public struct AttestationObject: Sendable {
  /// The length of the longest token that is accepted, in bytes.
  public static let byteLimit = 65_536

  /// The contents without the certificates and the receipt.
  let content: AttestationContent
  /// The certificates of `x5c`, the leaf first. There are at least two.
  let certificates: [Certificate]

  /// `fmt`, unchanged.
  public var format: String { content.format }
  /// The receipt's bytes, not yet parsed, or empty if the attestation has none.
  public let receipt: [UInt8]
  /// `authData`, unchanged.
  public var authData: [UInt8] { content.authData }
  /// `authData`, parsed.
  public var authenticatorData: AuthenticatorData { content.authenticatorData }
  /// The attested credential data in it.
  public var credential: AttestedCredential { content.credential }

  /// Parses one CBOR map with `fmt`, `attStmt` and `authData`, and nothing left over.
  public static func parse(_ token: Span<UInt8>) throws(MalformedToken) -> AttestationObject {
    let statement = try AttestationStatement(token)
    var certificates: [Certificate] = []
    for (index, string) in statement.certificates.enumerated() {
      do throws(OpenSSLError) {
        certificates.append(try Certificate(der: string.copy(from: token)))
      } catch {
        throw MalformedToken("Certificate \(index + 1) of x5c is \(error.context).")
      }
    }
    return AttestationObject(
      content: try AttestationContent(statement, token), certificates: certificates,
      receipt: statement.receipt?.copy(from: token) ?? [])
  }
}

/// Facts of the leaf certificate, for callers who search for related records. Nothing is judged.
extension AttestationObject {
  package var x5c: [Certificate] { certificates }

  /// The leaf's X9.62 uncompressed point, 65 bytes, or nil if its key is not on P-256.
  public var leafPublicKey: [UInt8]? { certificates.first?.p256Point }

  /// The leaf's serial number as milliseconds since 1970 (`facts.R35`), or nil if the leaf was not valid then.
  package var serialTime: Int64? { certificates.first.flatMap { LeafFacts($0).serialTime } }

  /// The nonce of extension 1.2.840.113635.100.8.2, or nil if there is none.
  public var leafNonce: Digest256? { certificates.first.flatMap(LeafExtensions.nonce) }

  /// The App ID in clear, [1204] of extension 1.2.840.113635.100.8.5, or nil if it cannot be read.
  public var leafAppID: String? { certificates.first.flatMap(LeafExtensions.appID) }

  /// The system that made the key.
  public var leafOrigin: KeyOrigin? { certificates.first.map(KeyOrigin.init) }
}
