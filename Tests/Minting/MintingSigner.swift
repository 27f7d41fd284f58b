internal import COpenSSL

/// The curves that the synthetic authority uses.
package enum MintingCurve: Sendable {
  case p256, p384

  /// The length of a scalar or a coordinate in bytes.
  package var byteCount: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    }
  }

  var nid: Int32 {
    switch self {
    case .p256: NID_X9_62_prime256v1
    case .p384: NID_secp384r1
    }
  }
}

/// An ECDSA signature as two big-endian integers of the curve's length each.
package struct MintedSignature: Sendable, Equatable {
  package var r: [UInt8]
  package var s: [UInt8]

  package init(r: [UInt8], s: [UInt8]) {
    self.r = r
    self.s = s
  }
}

/// Ends the process: memory is lacking, or an input is no scalar of the curve.
private func fail(_ function: String) -> Never {
  preconditionFailure("libcrypto refuses to mint: \(function) failed")
}

/// ECDSA over one curve, with nonces derived from the key and the message, so that the same input
/// gives the same bytes on every machine.
///
/// For synthetic data only: nothing here runs in constant time. One signer serves one thread.
@safe package struct MintingSigner: ~Copyable {
  package let curve: MintingCurve
  private let group: OpaquePointer
  private let context: OpaquePointer
  private let point: OpaquePointer
  private let order: OpaquePointer
  private let secret: OpaquePointer
  private let nonce: OpaquePointer
  private let first: OpaquePointer
  private let second: OpaquePointer
  private let zero: OpaquePointer

  /// P-384 with multiples of its base point, as OpenSSL has them for P-256. It never changes, so that threads may
  /// share it.
  private nonisolated(unsafe) static let p384 = unsafe prepared(.p384)

  private static func prepared(_ curve: MintingCurve) -> OpaquePointer? {
    guard let group = unsafe EC_GROUP_new_by_curve_name(curve.nid) else { return nil }
    return unsafe EC_GROUP_precompute_mult(group, nil) == 1 ? group : nil
  }

  package init(_ curve: MintingCurve) {
    let made =
      curve == .p384
      ? unsafe EC_GROUP_dup(Self.p384) : unsafe EC_GROUP_new_by_curve_name(curve.nid)
    guard let group = unsafe made else { fail("EC_GROUP_new_by_curve_name") }
    guard let context = unsafe BN_CTX_new(), let point = unsafe EC_POINT_new(group),
      let order = unsafe BN_new(), unsafe EC_GROUP_get_order(group, order, nil) == 1,
      let secret = unsafe BN_new(), let nonce = unsafe BN_new(), let first = unsafe BN_new(),
      let second = unsafe BN_new(), let zero = unsafe BN_new()
    else { fail("BN_new") }
    self.curve = curve
    unsafe self.group = group
    unsafe self.context = context
    unsafe self.point = point
    unsafe self.order = order
    unsafe self.secret = secret
    unsafe self.nonce = nonce
    unsafe self.first = first
    unsafe self.second = second
    unsafe self.zero = zero
  }

  deinit {
    unsafe BN_free(order)
    unsafe BN_free(secret)
    unsafe BN_free(nonce)
    unsafe BN_free(first)
    unsafe BN_free(second)
    unsafe BN_free(zero)
    unsafe EC_POINT_free(point)
    unsafe BN_CTX_free(context)
    unsafe EC_GROUP_free(group)
  }

  /// Returns the public point of `secret` (big-endian, reduced modulo the order): X9.62
  /// uncompressed.
  package func publicPoint(of secret: [UInt8]) -> [UInt8] {
    unsafe load(secret, into: self.secret)
    guard unsafe multiply(self.secret),
      unsafe EC_POINT_get_affine_coordinates(group, point, first, second, context) == 1
    else { fail("EC_POINT_mul") }
    return unsafe [4] + bytes(of: first) + bytes(of: second)
  }

  /// Returns the signature of `digest` under `secret`; another `salt` gives another signature of
  /// the same digest.
  package func sign(
    _ digest: [UInt8], secret: [UInt8], salt: UInt8 = 0
  ) -> MintedSignature {
    unsafe load(secret, into: self.secret)
    unsafe load(nonceSeed(digest, secret, salt), into: nonce)
    // r = x(kG) mod n
    guard unsafe multiply(nonce),
      unsafe EC_POINT_get_affine_coordinates(group, point, first, nil, context) == 1,
      unsafe BN_nnmod(first, first, order, context) == 1
    else { fail("EC_POINT_mul") }
    let r = unsafe bytes(of: first)
    // s = (e + r d) / k mod n; both digests in use are no longer than the order.
    let length = Int32(digest.count)
    guard unsafe BN_mod_mul(first, first, self.secret, order, context) == 1,
      unsafe BN_bin2bn(digest, length, second) != nil,
      unsafe BN_mod_add(first, first, second, order, context) == 1,
      unsafe BN_mod_inverse(nonce, nonce, order, context) != nil,
      unsafe BN_mod_mul(first, first, nonce, order, context) == 1
    else { fail("BN_mod_mul") }
    return MintedSignature(r: r, s: unsafe bytes(of: first))
  }

  /// Sets `point` to a multiple of the base point. Of P-384 OpenSSL uses the multiples that are there
  /// only if it adds that of another point.
  private func multiply(_ scalar: OpaquePointer) -> Bool {
    switch curve {
    case .p256: unsafe EC_POINT_mul(group, point, scalar, nil, nil, context) == 1
    case .p384:
      unsafe EC_POINT_mul(
        group, point, scalar, EC_GROUP_get0_generator(group), zero, context) == 1
    }
  }

  /// Returns n − `scalar`: the other s of a signature.
  package func negated(_ scalar: [UInt8]) -> [UInt8] {
    unsafe load(scalar, into: first)
    guard unsafe BN_sub(first, order, first) == 1 else { fail("BN_sub") }
    return unsafe bytes(of: first)
  }

  /// The curve's order, big-endian.
  package var orderBytes: [UInt8] { unsafe bytes(of: order) }

  private func load(_ scalar: [UInt8], into number: OpaquePointer) {
    guard unsafe BN_bin2bn(scalar, Int32(scalar.count), number) != nil,
      unsafe BN_nnmod(number, number, order, context) == 1, unsafe BN_is_zero(number) == 0
    else { fail("BN_nnmod") }
  }

  private func bytes(of number: OpaquePointer) -> [UInt8] {
    let length = curve.byteCount
    return unsafe [UInt8](unsafeUninitializedCapacity: length) { output, count in
      _ = unsafe BN_bn2binpad(number, output.baseAddress, Int32(length))
      count = length
    }
  }

  private func nonceSeed(_ digest: [UInt8], _ secret: [UInt8], _ salt: UInt8) -> [UInt8] {
    var input = secret
    input.append(contentsOf: digest)
    input.append(salt)
    switch curve {
    case .p256: return MintingDigest.sha256(input)
    case .p384: return MintingDigest.sha384(input)
    }
  }
}
