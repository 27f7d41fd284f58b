/// The checker of the signatures of assertions.
package enum SignatureVerifier: String, Sendable, CaseIterable {
  /// The batch kernel, with OpenSSL's second opinion.
  case batch
  /// OpenSSL, one at a time.
  case openssl
}

/// The way in which the signatures of assertions are checked. No finding depends on it.
package struct VerificationPolicy: Sendable, Equatable {
  package var verifier = SignatureVerifier.batch
  /// The share of the signatures accepted by the batch kernel, 0 to 1, that OpenSSL checks again.
  package var crossCheck = 0.001

  package init() {}
}

/// The number of signatures that were checked, by each checker.
package struct VerificationTally: Sendable, Equatable {
  /// The signatures that the batch kernel checked.
  package var batch: UInt64 = 0
  /// The signatures that OpenSSL checked: all of the following, or all without a kernel.
  package var openssl: UInt64 = 0
  /// The signatures that the kernel rejected, and OpenSSL too.
  package var confirmed: UInt64 = 0
  /// The signatures that the kernel left undecided.
  package var undecided: UInt64 = 0
  /// The random signatures that the kernel and OpenSSL accepted.
  package var crossChecked: UInt64 = 0

  package init() {}

  mutating func add(_ other: VerificationTally) {
    batch += other.batch
    openssl += other.openssl
    confirmed += other.confirmed
    undecided += other.undecided
    crossChecked += other.crossChecked
  }
}
