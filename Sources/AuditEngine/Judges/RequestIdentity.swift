internal import AppAttest

/// The identity of a request identifier, whatever its length: the first 8 bytes of its
/// SHA-256, and its length. Who can choose a request identifier can choose an equal one: nobody gains
/// by making two that share this.
package struct RequestIdentity: Hashable, Comparable, Sendable {
  /// The first 8 bytes of the digest, big-endian.
  package var digest: UInt64
  /// Bytes of UTF-8; the highest number stands for more.
  package var length: UInt32

  package init(digest: UInt64, length: UInt32) {
    self.digest = digest
    self.length = length
  }

  /// Makes the identity of a row's text, or gives nil if the text is absent.
  init?(_ text: RowText) {
    guard !text.isAbsent else { return nil }
    let (digest, count) = text.digest
    self.init(digest: digest.prefix, length: UInt32(clamping: count))
  }

  package static func < (left: RequestIdentity, right: RequestIdentity) -> Bool {
    (left.digest, left.length) < (right.digest, right.length)
  }
}
