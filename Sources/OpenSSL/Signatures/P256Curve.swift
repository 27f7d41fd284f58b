internal import COpenSSL

/// The curve P-256 (FIPS 186-4), secp256r1. `@unchecked Sendable`: the `EC_GROUP` never changes.
@safe final class P256Curve: @unchecked Sendable {
  /// The one instance. It is nil only if memory ran out at the first use.
  static let shared = P256Curve()

  /// The length of an X9.62 uncompressed point.
  static let pointLength = 65

  let group: OpaquePointer

  private init?() {
    guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
      ErrorQueue.drain()
      return nil
    }
    unsafe self.group = group
  }

  deinit {
    unsafe EC_GROUP_free(group)
  }

  /// Calls `body` with the group and an encoded point (X9.62), or returns nil if it is none.
  static func withPoint<Result>(
    _ encoded: UnsafeBufferPointer<UInt8>, _ body: (OpaquePointer, OpaquePointer) -> Result?
  ) -> Result? {
    defer { ErrorQueue.drain() }
    guard let curve = shared, let point = unsafe EC_POINT_new(curve.group) else { return nil }
    defer { unsafe EC_POINT_free(point) }
    // Refuses coordinates out of range and points off the curve.
    guard
      unsafe EC_POINT_oct2point(curve.group, point, encoded.baseAddress, encoded.count, nil) == 1
    else { return nil }
    return unsafe body(curve.group, point)
  }

  static func uncompressed(_ group: OpaquePointer, _ point: OpaquePointer) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: pointLength) { buffer, count in
      unsafe count = EC_POINT_point2oct(
        group, point, POINT_CONVERSION_UNCOMPRESSED, buffer.baseAddress, pointLength, nil)
    }
  }

  /// Returns the uncompressed point of an encoded one, or nil if it is not on the curve.
  static func normalize(_ encoded: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    switch unsafe (encoded.first, encoded.count) {
    case (4, 65), (2, 33), (3, 33): unsafe withPoint(encoded) { unsafe uncompressed($0, $1) }
    default: nil
    }
  }

  /// Returns the uncompressed point of a SubjectPublicKeyInfo on P-256 (RFC 5480), or nil.
  static func point(of key: OpaquePointer) -> [UInt8]? {
    var bytes: UnsafePointer<UInt8>?
    var length: Int32 = 0
    guard unsafe attest_ec_encoded(key, NID_X9_62_prime256v1, &bytes, &length) == 1, length > 0
    else {
      ErrorQueue.drain()
      return nil
    }
    return unsafe normalize(UnsafeBufferPointer(start: bytes, count: Int(length)))
  }
}
