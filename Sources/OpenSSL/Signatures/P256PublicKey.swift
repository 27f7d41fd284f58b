internal import COpenSSL

/// A public key on P-256 for all threads. `@unchecked Sendable`: the `EC_KEY` never changes.
@safe package final class P256PublicKey: @unchecked Sendable {
  let handle: OpaquePointer

  /// Makes a key from its X9.62 uncompressed point, 65 bytes, or nil.
  package init?(point: [UInt8]) {
    let key = unsafe Self.withPoint(point.span) { group, point -> OpaquePointer? in
      guard let key = unsafe EC_KEY_new() else { return nil }
      if unsafe EC_KEY_set_group(key, group) == 1, unsafe EC_KEY_set_public_key(key, point) == 1 {
        return unsafe key
      }
      unsafe EC_KEY_free(key)
      return nil
    }
    guard let key = unsafe key else { return nil }
    unsafe handle = key
  }

  private static func withPoint<Result>(
    _ bytes: Span<UInt8>, _ body: (OpaquePointer, OpaquePointer) -> Result?
  ) -> Result? {
    guard bytes.count == P256Curve.pointLength, bytes[0] == 4 else { return nil }
    return unsafe bytes.withUnsafeBufferPointer { unsafe P256Curve.withPoint($0, body) }
  }

  deinit {
    unsafe EC_KEY_free(handle)
  }

  /// Returns whether an X9.62 uncompressed point, 65 bytes, is one of the curve.
  package static func isPoint(_ bytes: Span<UInt8>) -> Bool {
    unsafe withPoint(bytes) { _, _ in true } ?? false
  }

  /// Returns the X9.62 uncompressed point of a DER SubjectPublicKeyInfo (RFC 5480), or nil.
  package static func point(spki bytes: [UInt8]) -> [UInt8]? {
    guard DERReader.isOneItem(bytes.span) else { return nil }
    defer { ErrorQueue.drain() }
    let key = unsafe Bytes.parse(
      bytes.span, by: { unsafe d2i_X509_PUBKEY(nil, &$0, $1) },
      orFree: { unsafe X509_PUBKEY_free($0) })
    guard let key = unsafe key else { return nil }
    defer { unsafe X509_PUBKEY_free(key) }
    return unsafe P256Curve.point(of: key)
  }

  /// Returns the X9.62 uncompressed point of a PEM text with one `PUBLIC KEY` (RFC 7468), or nil.
  package static func point(pem text: [UInt8]) -> [UInt8]? {
    guard let length = Int32(exactly: text.count), length > 0 else { return nil }
    let spki = unsafe text.withUnsafeBytes { buffer -> [UInt8]? in
      guard let source = unsafe BIO_new_mem_buf(buffer.baseAddress, length) else { return nil }
      defer { unsafe BIO_free(source) }
      var data: UnsafeMutablePointer<UInt8>?
      var count = 0
      guard
        unsafe PEM_bytes_read_bio(&data, &count, nil, PEM_STRING_PUBLIC, source, nil, nil) == 1
      else { return nil }
      defer { unsafe attest_free(data) }
      return unsafe Array(UnsafeBufferPointer(start: data, count: count))
    }
    ErrorQueue.drain()
    return spki.flatMap { point(spki: $0) }
  }
}
