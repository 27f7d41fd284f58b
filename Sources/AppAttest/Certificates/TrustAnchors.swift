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
