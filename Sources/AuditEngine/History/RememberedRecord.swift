internal import AppAttest

/// A record of the replay window as it is remembered: fixed in length, and with everything that a
/// later record of the same hash is compared with.
package enum RememberedRecord {
  /// Bytes of a record.
  package static let byteCount = 128
  /// Bytes at its front that are equal for equal hashes: 32 of the hash, 1 of its length.
  package static let groupLength = 33
}
