internal import COpenSSL

/// The two public keys under which a signature over P-256 is valid (SEC 1, 4.1.6).
package enum P256Recovery {
  /// Returns the keys of a 32-byte `digest` and a strict DER signature as X9.62 uncompressed points.
  package static func keys(digest: [UInt8], signatureDER: [UInt8]) -> [[UInt8]] {
    guard digest.count == 32, let (r, s) = DERSignature.parse(signatureDER.span) else { return [] }
    return keys(r: r.bytes, s: s.bytes, digest: digest)
  }

  /// Returns the keys of r ‖ s ‖ digest, 32 bytes each, big-endian and above 0, as X9.62 uncompressed points.
  package static func keys(signed: UnsafeRawBufferPointer) -> [[UInt8]] {
    precondition(signed.count == 96, "r, s and digest are 32 bytes each")
    return unsafe keys(
      r: Array(signed[..<32]), s: Array(signed[32..<64]), digest: Array(signed[64...]))
  }

  private static func keys(r: [UInt8], s: [UInt8], digest: [UInt8]) -> [[UInt8]] {
    guard let curve = P256Curve.shared, let numbers = unsafe BN_CTX_new() else { return [] }
    defer {
      unsafe BN_CTX_free(numbers)
      ErrorQueue.drain()
    }
    return [Int32(0), 1].compactMap { parity in
      unsafe key(
        (number(r), number(s), number(digest)), parity: parity, curve.group, numbers)
    }
  }

  /// Returns r⁻¹ (s·R − digest·G), where R is the point with the x-coordinate r and that parity of y.
  private static func key(
    _ values: (r: OpaquePointer?, s: OpaquePointer?, digest: OpaquePointer?), parity: Int32,
    _ group: OpaquePointer, _ numbers: OpaquePointer
  ) -> [UInt8]? {
    defer {
      unsafe BN_free(values.r)
      unsafe BN_free(values.s)
      unsafe BN_free(values.digest)
    }
    guard let order = unsafe EC_GROUP_get0_order(group), let point = unsafe EC_POINT_new(group)
    else { return nil }
    defer { unsafe EC_POINT_free(point) }
    guard let result = unsafe EC_POINT_new(group) else { return nil }
    defer { unsafe EC_POINT_free(result) }
    guard let inverse = unsafe BN_mod_inverse(nil, values.r, order, numbers) else { return nil }
    defer { unsafe BN_free(inverse) }
    guard let ofBase = unsafe BN_new() else { return nil }
    defer { unsafe BN_free(ofBase) }
    guard let ofPoint = unsafe BN_new() else { return nil }
    defer { unsafe BN_free(ofPoint) }
    guard
      unsafe EC_POINT_set_compressed_coordinates(group, point, values.r, parity, numbers) == 1,
      unsafe BN_mod_mul(ofPoint, values.s, inverse, order, numbers) == 1,
      unsafe BN_mod_mul(ofBase, values.digest, inverse, order, numbers) == 1,
      unsafe BN_sub(ofBase, order, ofBase) == 1,
      unsafe EC_POINT_mul(group, result, ofBase, point, ofPoint, numbers) == 1,
      unsafe EC_POINT_is_at_infinity(group, result) == 0
    else { return nil }
    return unsafe P256Curve.uncompressed(group, result)
  }

  private static func number(_ bytes: [UInt8]) -> OpaquePointer? {
    unsafe BN_bin2bn(bytes, Int32(bytes.count), nil)
  }
}
