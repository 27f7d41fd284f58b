internal import OpenSSL

/// The reason why trust anchors cannot be used.
public struct TrustAnchorError: Error, Sendable, Equatable {
  /// One line for people, without a full stop.
  public var context: String

  init(_ context: String) {
    self.context = context
  }
}

/// Certificates that end a chain, shared by all threads.
public final class TrustAnchors: Sendable {
  let store: TrustStore

  /// Makes the trust anchors of DER certificates, at least one, roots or intermediates.
  public init(der: [[UInt8]]) throws(TrustAnchorError) {
    guard !der.isEmpty else { throw TrustAnchorError("there is no trust anchor") }
    do throws(OpenSSLError) {
      store = try TrustStore(anchors: der)
    } catch {
      throw TrustAnchorError("a trust anchor is not a certificate: \(error.context)")
    }
  }

  /// Returns the DER of every certificate in a PEM text, in its order.
  public static func certificates(pem: [UInt8]) throws(TrustAnchorError) -> [[UInt8]] {
    do throws(OpenSSLError) {
      return try Certificate.derFromPEM(pem)
    } catch {
      throw TrustAnchorError(error.context)
    }
  }
}

/// Apple's root certificates, as https://www.apple.com/certificateauthority publishes them.
public enum AppleTrust {
  /// The DER of Apple App Attestation Root CA, which ends the chain of every attestation.
  public static let appAttestationRootCA = der(appAttestationRootCAPEM)

  /// The DER of Apple Root CA - G3, which ends the chain of every receipt.
  public static let rootCAG3 = der(rootCAG3PEM)

  private static func der(_ text: String) -> [UInt8] {
    (try? Certificate.derFromPEM(Array(text.utf8)))?.first ?? []
  }

  private static let appAttestationRootCAPEM = """
    -----BEGIN CERTIFICATE-----
    MIICITCCAaegAwIBAgIQC/O+DvHN0uD7jG5yH2IXmDAKBggqhkjOPQQDAzBSMSYw
    JAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24gUm9vdCBDQTETMBEGA1UECgwK
    QXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODMyNTNa
    Fw00NTAzMTUwMDAwMDBaMFIxJjAkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlv
    biBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9y
    bmlhMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdh
    NbJhFs/Ii2FdCgAHGbpphY3+d8qjuDngIN3WVhQUBHAoMeQ/cLiP1sOUtgjqK9au
    Yen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41o0IwQDAPBgNVHRMBAf8EBTADAQH/
    MB0GA1UdDgQWBBSskRBTM72+aEH/pwyp5frq5eWKoTAOBgNVHQ8BAf8EBAMCAQYw
    CgYIKoZIzj0EAwMDaAAwZQIwQgFGnByvsiVbpTKwSga0kP0e8EeDS4+sQmTvb7vn
    53O5+FRXgeLhpJ06ysC5PrOyAjEAp5U4xDgEgllF7En3VcE3iexZZtKeYnpqtijV
    oyFraWVIyd/dganmrduC1bmTBGwD
    -----END CERTIFICATE-----

    """

  private static let rootCAG3PEM = """
    -----BEGIN CERTIFICATE-----
    MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwS
    QXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9u
    IEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcN
    MTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBS
    b290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9y
    aXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49
    AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtf
    TjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517
    IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySr
    MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gA
    MGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWTxnS4
    at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM
    6BgD56KyKA==
    -----END CERTIFICATE-----

    """
}
