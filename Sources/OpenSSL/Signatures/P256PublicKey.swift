internal import COpenSSL

/// A public key on P-256, parsed once and shared by all threads that verify with it.
///
/// `@unchecked Sendable`: the `EC_KEY` is never changed after `init`; verifying only reads it.
@safe package final class P256PublicKey: @unchecked Sendable {
  /// The `EC_KEY`, for the wrappers of this module.
  let handle: OpaquePointer

  /// Makes a key from its X9.62 uncompressed point, 65 bytes, or nil if that is not a point of the
  /// curve.
  package init?(point: Span<UInt8>) {
    guard point.count == P256Curve.pointLength, point[0] == 4, let curve = P256Curve.shared else {
      return nil
    }
    guard let key = unsafe EC_KEY_new() else {
      ErrorQueue.drain()
      return nil
    }
    let loaded = unsafe point.withUnsafeBufferPointer { bytes -> Bool in
      guard unsafe EC_KEY_set_group(key, curve.group) == 1,
        let point = unsafe EC_POINT_new(curve.group)
      else { return false }
      defer { unsafe EC_POINT_free(point) }
      // Refuses coordinates out of range and points off the curve.
      return unsafe EC_POINT_oct2point(curve.group, point, bytes.baseAddress, bytes.count, nil) == 1
        && EC_KEY_set_public_key(key, point) == 1
    }
    guard loaded else {
      ErrorQueue.drain()
      unsafe EC_KEY_free(key)
      return nil
    }
    unsafe handle = key
  }

  /// Makes a key from its X9.62 uncompressed point, 65 bytes, or nil if that is not a point of the
  /// curve.
  package convenience init?(point: [UInt8]) {
    self.init(point: point.span)
  }

  deinit {
    unsafe EC_KEY_free(handle)
  }

  /// Returns whether an X9.62 uncompressed point, 65 bytes, is one of the curve.
  package static func isPoint(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count == P256Curve.pointLength, bytes[0] == 4, let curve = P256Curve.shared,
      let point = unsafe EC_POINT_new(curve.group)
    else { return false }
    defer { unsafe EC_POINT_free(point) }
    let isOnCurve = unsafe bytes.withUnsafeBufferPointer {
      unsafe EC_POINT_oct2point(curve.group, point, $0.baseAddress, $0.count, nil) == 1
    }
    if !isOnCurve { ErrorQueue.drain() }
    return isOnCurve
  }

  /// Returns the X9.62 uncompressed point (65 bytes) of a DER SubjectPublicKeyInfo (RFC 5480), or
  /// nil if the bytes are not one, are not of P-256, or have bytes left over.
  package static func point(spki bytes: [UInt8]) -> [UInt8]? {
    guard DERReader.isOneItem(bytes.span) else { return nil }
    let point = unsafe bytes.withUnsafeBufferPointer { buffer -> [UInt8]? in
      guard let start = buffer.baseAddress else { return nil }
      var cursor: UnsafePointer<UInt8>? = unsafe start
      let end = unsafe start + buffer.count
      guard let key = unsafe d2i_X509_PUBKEY(nil, &cursor, buffer.count) else { return nil }
      defer { unsafe X509_PUBKEY_free(key) }
      guard unsafe cursor == end else { return nil }
      return unsafe P256Curve.point(of: key)
    }
    ErrorQueue.drain()
    return point
  }

  /// Returns the X9.62 uncompressed point (65 bytes) of a PEM text with one `PUBLIC KEY` (RFC
  /// 7468), or nil if the text has none or it is not P-256.
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
