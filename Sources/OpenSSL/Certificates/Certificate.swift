internal import Basics
internal import COpenSSL

/// An X.509 certificate (RFC 5280), parsed from DER. `@unchecked Sendable`: the `X509` is never
/// changed after `init`, and libcrypto locks what it caches.
@safe package final class Certificate: @unchecked Sendable {
  /// The `X509`, for the wrappers of this module.
  let handle: OpaquePointer
  /// The certificate as it was given.
  package let der: [UInt8]
  /// Seconds since 1970, bounds included, or nil if the certificate's times cannot be read.
  package let validity: ClosedRange<Int64>?

  /// The validity in words: `valid from … to …`.
  package var validityText: String {
    guard let validity else { return "of no readable validity" }
    return "valid from \(CivilTime.text(seconds: validity.lowerBound)) to "
      + CivilTime.text(seconds: validity.upperBound)
  }

  /// Parses one certificate: DER throughout, with nothing left over.
  package init(der: [UInt8]) throws(OpenSSLError) {
    guard DERReader.isOneItem(der.span) else {
      throw OpenSSLError(.certificate, "not one DER item")
    }
    let parsed = unsafe Bytes.parse(
      der.span, by: { unsafe d2i_X509(nil, &$0, $1) }, orFree: { unsafe X509_free($0) })
    guard let parsed = unsafe parsed else {
      ErrorQueue.drain()
      throw OpenSSLError(.certificate, "not an X.509 certificate")
    }
    unsafe handle = parsed
    self.der = der
    unsafe validity = Self.validity(of: parsed)
  }

  /// Takes a reference to a certificate that libcrypto parsed as part of something else.
  init(retaining certificate: OpaquePointer) throws(OpenSSLError) {
    let length = unsafe i2d_X509(certificate, nil)
    guard length > 0 else {
      ErrorQueue.drain()
      throw OpenSSLError(.certificate, "not an X.509 certificate")
    }
    der = unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
      var cursor = buffer.baseAddress
      count = unsafe Int(max(0, i2d_X509(certificate, &cursor)))
    }
    unsafe X509_up_ref(certificate)
    unsafe handle = certificate
    unsafe validity = Self.validity(of: certificate)
  }

  deinit {
    unsafe X509_free(handle)
  }

  private static func validity(of certificate: OpaquePointer) -> ClosedRange<Int64>? {
    var first: Int64 = 0
    var last: Int64 = 0
    guard unsafe attest_asn1_seconds(X509_get0_notBefore(certificate), &first) == 1,
      unsafe attest_asn1_seconds(X509_get0_notAfter(certificate), &last) == 1, first <= last
    else {
      ErrorQueue.drain()
      return nil
    }
    return first...last
  }

  /// Whether a signature by its key costs little to verify, as an authority's does.
  var verifiesCheaply: Bool {
    defer { ErrorQueue.drain() }
    return unsafe attest_verifies_cheaply(handle) == 1
  }

  /// The X9.62 uncompressed point (65 bytes) of a P-256 key, also if the certificate holds it
  /// compressed. It is nil for any other key, and for a point that is not on the curve.
  package var p256Point: [UInt8]? {
    guard let key = unsafe X509_get_X509_PUBKEY(handle) else { return nil }
    return unsafe P256Curve.point(of: key)
  }

  /// The uncompressed point (97 bytes) of a P-384 key, perhaps not on the curve, or nil.
  package var p384Point: [UInt8]? {
    guard let key = unsafe X509_get_X509_PUBKEY(handle) else { return nil }
    var bytes: UnsafePointer<UInt8>?
    var length: Int32 = 0
    guard unsafe attest_ec_encoded(key, NID_secp384r1, &bytes, &length) == 1, length == 97 else {
      ErrorQueue.drain()
      return nil
    }
    let point = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
    return point.first == 4 ? point : nil
  }

  /// The subject's Name, DER, or nil if it has none that can be told.
  package var subject: [UInt8]? {
    var bytes: UnsafePointer<UInt8>?
    var length = 0
    guard let name = unsafe X509_get_subject_name(handle),
      unsafe X509_NAME_get0_der(name, &bytes, &length) == 1, length > 0
    else {
      ErrorQueue.drain()
      return nil
    }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
  }

  /// Returns the content of the only extension of an identifier in dotted form, or nil.
  package func extensionValue(_ identifier: String) -> [UInt8]? {
    guard let object = unsafe OBJ_txt2obj(identifier, 1) else {
      ErrorQueue.drain()
      return nil
    }
    defer { unsafe ASN1_OBJECT_free(object) }
    let index = unsafe X509_get_ext_by_OBJ(handle, object, -1)
    guard index >= 0, unsafe X509_get_ext_by_OBJ(handle, object, index) < 0,
      let found = unsafe X509_get_ext(handle, index),
      let value = unsafe X509_EXTENSION_get_data(found)
    else { return nil }
    return unsafe Bytes.copy(value)
  }
}

extension Certificate: Equatable {
  package static func == (left: Certificate, right: Certificate) -> Bool {
    left.der == right.der
  }
}

/// Bytes that libcrypto reads, and copies of its own.
enum Bytes {
  /// Returns the object that libcrypto parses from all of some bytes, or nil.
  static func parse(
    _ bytes: Span<UInt8>, by read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?,
    orFree free: (OpaquePointer) -> Void
  ) -> OpaquePointer? {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      guard unsafe cursor != nil, let parsed = unsafe read(&cursor, buffer.count) else {
        return nil
      }
      if unsafe cursor == buffer.baseAddress.map({ unsafe $0 + buffer.count }) {
        return unsafe parsed
      }
      unsafe free(parsed)
      return nil
    }
  }

  static func copy(_ string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
    let count = unsafe Int(ASN1_STRING_length(string))
    guard count > 0, let start = unsafe ASN1_STRING_get0_data(string) else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }
}
