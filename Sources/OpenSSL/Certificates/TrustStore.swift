internal import COpenSSL

package enum ChainVerdict: Sendable, Equatable {
  /// The chain ends at an anchor, and every certificate of it is valid at the time.
  case trusted
  /// The chain ends at an anchor, but a certificate of it is not valid at the time.
  case timeOnly
  /// There is no such chain: why, without a full stop.
  case untrusted(String)
}

/// The chain above a leaf: its issuer, and when all certificates from there up are valid.
package struct KnownChain: Sendable {
  package var issuer: Certificate
  /// Seconds since 1970, bounds included.
  package var validity: ClosedRange<Int64>
  /// Whether a certificate of it constrains the names of the leaf.
  package var namesConstrained: Bool
}

/// A set of trust anchors, perhaps intermediates, and chains to them (RFC 5280, section 6).
/// Signatures, names, CA flags, path lengths, key usage and critical extensions are checked, no
/// purpose and no revocation. A certificate that is not an anchor is never trusted by being
/// self-signed.
package final class TrustStore: Sendable {
  /// The number of certificates that are considered beside the leaf: each costs signatures.
  package static let othersLimit = 16

  /// The anchors, each once.
  package let anchors: [Certificate]

  /// Makes a store of DER certificates. Throws if one of them is not a certificate.
  package init(anchors: [[UInt8]]) throws(OpenSSLError) {
    var parsed: [Certificate] = []
    for anchor in anchors {
      let certificate = try Certificate(der: anchor)
      if !parsed.contains(certificate) { parsed.append(certificate) }
    }
    self.anchors = parsed
  }

  /// Returns whether `leaf` chains through `others` to an anchor at `seconds` since 1970, and what is above a trusted leaf, if
  /// that was looked for.
  package func verify(
    _ leaf: Certificate, others: [Certificate], at seconds: Int64
  ) -> (verdict: ChainVerdict, chain: KnownChain?) {
    var distinct: [Certificate] = []
    for other in others where distinct.count < Self.othersLimit {
      if other != leaf, other.verifiesCheaply, !distinct.contains(other) { distinct.append(other) }
    }
    let found = Self.verifyOnce(leaf, others: distinct, anchors: anchors, at: seconds)
    if found.verdict == .trusted { return found }
    var search = ChainSearch(leaf: leaf, others: distinct, anchors: anchors, seconds: seconds)
    return (search.isAmbiguous ? search.best(atLeast: found.verdict) : found.verdict, nil)
  }

  /// Returns which certificate is not valid at a time, if that is the only fault; `name` is the leaf's.
  package func timeFault(
    of leaf: Certificate, _ name: String, others: [Certificate], at seconds: Int64
  ) -> String? {
    defer { ErrorQueue.drain() }
    var current = leaf
    for depth in 0...Self.othersLimit {
      if current.validity?.contains(seconds) != true {
        return (depth == 0 ? name : "a certificate above \(name)") + " is " + current.validityText
      }
      let issuer = (others.prefix(Self.othersLimit) + anchors).first { other in
        unsafe other != current && attest_may_issue(other.handle, current.handle) == 1
      }
      guard let issuer else { return nil }
      current = issuer
    }
    return nil
  }

  /// Returns one run of OpenSSL, which follows one path and does not turn back from it.
  static func verifyOnce(
    _ leaf: Certificate, others: [Certificate], anchors: [Certificate], at seconds: Int64
  ) -> (verdict: ChainVerdict, chain: KnownChain?) {
    guard let untrusted = unsafe attest_x509_stack_new() else { return outOfMemory }
    defer { unsafe attest_x509_stack_free(untrusted) }
    guard let trusted = unsafe attest_x509_stack_new() else { return outOfMemory }
    defer { unsafe attest_x509_stack_free(trusted) }
    for other in others {
      guard unsafe attest_x509_stack_push(untrusted, other.handle) == 1 else { return outOfMemory }
    }
    for anchor in anchors {
      guard unsafe attest_x509_stack_push(trusted, anchor.handle) == 1 else { return outOfMemory }
    }
    var state = unsafe attest_chain_state()
    unsafe state.seconds = seconds
    let holds = unsafe attest_verify_chain(leaf.handle, untrusted, trusted, &state) == 1
    withExtendedLifetime((leaf, others, anchors)) {}
    ErrorQueue.drain()
    defer { unsafe X509_free(state.issuer) }
    guard holds else {
      let reason = unsafe X509_verify_cert_error_string(Int(state.error))
      let text = unsafe reason.map { unsafe String(cString: $0) } ?? "the chain is invalid"
      return (.untrusted(text), nil)
    }
    guard unsafe state.time_failed == 0 else { return (.timeOnly, nil) }
    guard let issuer = unsafe state.issuer,
      let certificate = unsafe try? Certificate(retaining: issuer),
      unsafe state.first <= state.last
    else { return (.trusted, nil) }
    return unsafe (
      .trusted,
      KnownChain(
        issuer: certificate, validity: state.first...state.last,
        namesConstrained: state.names_constrained != 0)
    )
  }

  private static let outOfMemory: (ChainVerdict, KnownChain?) = (.untrusted("out of memory"), nil)
}
