internal import COpenSSL

extension Certificate {
  /// Returns the DER of every certificate in a PEM text (RFC 7468), in its order, at least one.
  package static func derFromPEM(_ text: [UInt8]) throws(OpenSSLError) -> [[UInt8]] {
    guard let length = Int32(exactly: text.count), length > 0 else {
      throw OpenSSLError(.pem, "no PEM certificate")
    }
    var found: [[UInt8]] = []
    let complete = unsafe text.withUnsafeBytes { buffer -> Bool in
      guard let source = unsafe BIO_new_mem_buf(buffer.baseAddress, length) else { return false }
      defer { unsafe BIO_free(source) }
      while let parsed = unsafe PEM_read_bio_X509(source, nil, nil, nil) {
        defer { unsafe X509_free(parsed) }
        guard let certificate = unsafe try? Certificate(retaining: parsed) else { return false }
        found.append(certificate.der)
      }
      let error = ERR_peek_last_error()
      ErrorQueue.drain()
      return attest_is_pem_end(error) == 1
    }
    guard complete else { throw OpenSSLError(.pem, "a PEM certificate that cannot be read") }
    guard !found.isEmpty else { throw OpenSSLError(.pem, "no PEM certificate") }
    return found
  }
}
