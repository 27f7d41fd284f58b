internal import COpenSSL

/// OpenSSL's verdict on ECDSA signatures over either curve, one at a time: what faster verifiers are
/// compared with.
package struct ECDSAOracle: Sendable {
  /// A public key.
  ///
  /// `@unchecked Sendable`: the `EC_KEY` is never changed after it was made.
  @safe package final class Key: @unchecked Sendable {
    fileprivate let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) {
      unsafe self.handle = handle
    }

    deinit {
      unsafe EC_KEY_free(handle)
    }
  }

  private let curve: MintingCurve

  package init(_ curve: MintingCurve) {
    self.curve = curve
  }

  /// Returns a key from its X9.62 uncompressed point, or nil if that is no point of the curve.
  package func key(point: [UInt8]) -> Key? {
    defer { ERR_clear_error() }
    guard let handle = unsafe EC_KEY_new_by_curve_name(curve.nid) else { return nil }
    let key = unsafe Key(handle)
    guard unsafe EC_KEY_oct2key(key.handle, point, point.count, nil) == 1 else { return nil }
    return key
  }

  /// Returns whether a signature holds. A digest longer than the order is cut, as ECDSA says.
  package func holds(_ signature: MintedSignature, digest: [UInt8], key: Key) -> Bool {
    defer { ERR_clear_error() }
    guard let numbers = unsafe ECDSA_SIG_new() else { return false }
    defer { unsafe ECDSA_SIG_free(numbers) }
    guard let r = unsafe BN_bin2bn(signature.r, Int32(signature.r.count), nil) else { return false }
    guard let s = unsafe BN_bin2bn(signature.s, Int32(signature.s.count), nil) else {
      unsafe BN_free(r)
      return false
    }
    guard unsafe ECDSA_SIG_set0(numbers, r, s) == 1 else {
      unsafe BN_free(r)
      unsafe BN_free(s)
      return false
    }
    return unsafe ECDSA_do_verify(digest, Int32(digest.count), numbers, key.handle) == 1
  }
}
