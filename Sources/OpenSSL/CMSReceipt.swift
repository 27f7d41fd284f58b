internal import Basics
internal import COpenSSL

/// The signer of a receipt that verified.
package struct VerifiedSigner: Sendable {
  /// The X9.62 uncompressed point (65 bytes) of its key, on P-256.
  package let point: [UInt8]
  /// The time in which all of its chain is valid, seconds since 1970, bounds included.
  package let validity: ClosedRange<Int64>

  /// Makes a signer with a key on P-256, or nil. All of its chain was valid at one time.
  init?(_ certificate: Certificate, _ chain: KnownChain) {
    guard let point = certificate.p256Point, let own = certificate.validity else { return nil }
    self.point = point
    validity = own.clamped(to: chain.validity)
  }
}

/// A CMS SignedData (RFC 5652) with its content inside, BER or DER.
@safe package struct CMSReceipt: ~Copyable {
  private let handle: OpaquePointer
  /// The signed content, its chunks joined.
  package let content: [UInt8]

  /// The number of signers that are examined. Real receipts have one, and each costs a chain.
  private static let signersLimit = 8

  /// Parses one SignedData with nothing left over, BER too. Nothing is verified.
  package init(_ bytes: Span<UInt8>) throws(OpenSSLError) {
    defer { ErrorQueue.drain() }
    let parsed = unsafe Bytes.parse(
      bytes, by: { unsafe d2i_CMS_ContentInfo(nil, &$0, $1) },
      orFree: { unsafe CMS_ContentInfo_free($0) })
    guard let parsed = unsafe parsed else {
      throw OpenSSLError(.cms, "not one CMS structure")
    }
    guard unsafe OBJ_obj2nid(CMS_get0_type(parsed)) == NID_pkcs7_signed,
      let slot = unsafe CMS_get0_content(parsed), let content = unsafe slot.pointee
    else {
      unsafe CMS_ContentInfo_free(parsed)
      throw OpenSSLError(.cms, "not a CMS SignedData with its content inside")
    }
    unsafe self.content = Bytes.copy(content)
    unsafe handle = parsed
  }

  deinit {
    unsafe CMS_ContentInfo_free(handle)
  }

  /// Verifies that every signer's certificate is inside, chains to an anchor at `seconds` since
  /// 1970 and has the extension `marker`, if given, and that its signature is over attributes with
  /// the content's digest or, as Apple signed until November 2020, over the content. Returns the
  /// reason why not, or nil.
  package func failure(
    anchors: TrustStore, at seconds: Int64, marker: String? = nil
  ) -> String? {
    var signer: VerifiedSigner?
    return failure(anchors: anchors, at: seconds, marker: marker, signer: &signer)
  }

  /// Returns the same, and who signed it, where it holds and that is one alone.
  package func failure(
    anchors: TrustStore, at seconds: Int64, marker: String?, signer found: inout VerifiedSigner?
  ) -> String? {
    defer { ErrorQueue.drain() }
    guard let signers = unsafe CMS_get0_SignerInfos(handle) else { return "it has no signer" }
    let count = unsafe attest_signers_count(signers)
    guard count > 0 else { return "it has no signer" }
    guard count <= Self.signersLimit else { return "it has more than \(Self.signersLimit) signers" }
    // It counts what it had not found before; each signer is asked for its certificate below.
    guard unsafe CMS_set1_signers_certs(handle, nil, 0) >= 0 else {
      return "a signer's certificate is not inside"
    }
    let certificates = certificates
    for index in 0..<count {
      guard let signer = unsafe attest_signers_get(signers, index) else {
        return "it has no signer"
      }
      var key: OpaquePointer?
      var certificate: OpaquePointer?
      unsafe CMS_SignerInfo_get0_algs(signer, &key, &certificate, nil, nil)
      guard let key = unsafe key, let certificate = unsafe certificate,
        let parsed = unsafe try? Certificate(retaining: certificate)
      else { return "a signer's certificate is not inside" }
      let (verdict, chain) = anchors.verify(parsed, others: certificates, at: seconds)
      switch verdict {
      case .trusted: break
      case .timeOnly:
        let fault = anchors.timeFault(
          of: parsed, "its signer's certificate", others: certificates, at: seconds)
        return "a certificate of its signer's chain is not valid at that time, "
          + CivilTime.text(seconds: seconds) + (fault.map { ": " + $0 } ?? "")
      case .untrusted(let reason): return "its signer is not trusted (\(reason))"
      }
      if let marker, parsed.extensionValue(marker) == nil {
        return "its signer's certificate does not carry the extension \(marker) of receipt signers"
      }
      guard unsafe holds(signer, key: key) else { return "its signature is invalid" }
      if count == 1, let chain { found = VerifiedSigner(parsed, chain) }
    }
    return nil
  }

  /// The certificates inside, in their order; not those of signers alone.
  package var certificates: [Certificate] {
    guard let stack = unsafe CMS_get1_certs(handle) else { return [] }
    defer { unsafe attest_x509_stack_release(stack) }
    var certificates: [Certificate] = []
    for index in 0..<(unsafe attest_x509_stack_count(stack)) {
      // Whatever lies beyond takes no part: the store considers no more.
      guard certificates.count <= TrustStore.othersLimit else { break }
      if let entry = unsafe attest_x509_stack_get(stack, index),
        let certificate = unsafe try? Certificate(retaining: entry)
      {
        certificates.append(certificate)
      }
    }
    return certificates
  }

  private func holds(_ signer: OpaquePointer, key: OpaquePointer) -> Bool {
    var algorithm: UnsafeMutablePointer<X509_ALGOR>?
    unsafe CMS_SignerInfo_get0_algs(signer, nil, nil, &algorithm, nil)
    guard let algorithm = unsafe algorithm, let digest = unsafe attest_sha2(algorithm) else {
      return false
    }
    if unsafe CMS_signed_get_attr_count(signer) > 0,
      unsafe attributesMatch(signer, digest: digest), unsafe CMS_SignerInfo_verify(signer) == 1
    {
      return true
    }
    return unsafe signsContent(signer, key: key, digest: digest)
  }

  /// Returns whether the attributes' digest and type are the content's (RFC 5652, 5.4 and 11).
  private func attributesMatch(_ signer: OpaquePointer, digest: OpaquePointer) -> Bool {
    // -3: there is one attribute of the type, and it has one value.
    guard
      let stated = unsafe CMS_signed_get0_data_by_OBJ(
        signer, OBJ_nid2obj(NID_pkcs9_messageDigest), -3, V_ASN1_OCTET_STRING),
      let type = unsafe CMS_signed_get0_data_by_OBJ(
        signer, OBJ_nid2obj(NID_pkcs9_contentType), -3, V_ASN1_OBJECT),
      unsafe OBJ_cmp(OpaquePointer(type), CMS_get0_eContentType(handle)) == 0
    else { return false }
    var length: UInt32 = 0
    let actual = unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) {
      buffer, count in
      let made = unsafe content.withUnsafeBytes { content in
        unsafe EVP_Digest(
          content.baseAddress, content.count, buffer.baseAddress, &length, digest, nil)
      }
      count = made == 1 ? Int(length) : 0
    }
    return unsafe !actual.isEmpty
      && Bytes.copy(UnsafePointer(stated.assumingMemoryBound(to: ASN1_STRING.self))) == actual
  }

  private func signsContent(
    _ signer: OpaquePointer, key: OpaquePointer, digest: OpaquePointer
  ) -> Bool {
    guard let signature = unsafe CMS_SignerInfo_get0_signature(signer),
      let context = unsafe EVP_MD_CTX_new()
    else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    let bytes = unsafe Bytes.copy(signature)
    guard unsafe EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1 else { return false }
    return unsafe content.withUnsafeBufferPointer { content in
      unsafe EVP_DigestVerify(
        context, bytes, bytes.count, content.baseAddress, content.count) == 1
    }
  }
}
