internal import COpenSSL

/// An extension of a certificate, as it stands there.
package struct CertificateExtension: Sendable {
  /// The object identifier in dotted form.
  package let identifier: String
  package let isCritical: Bool
  package let value: [UInt8]
}

/// The description of a certificate for people. Nothing is judged.
extension Certificate {
  private static let nameLimit = 512
  private static let identifierLimit = 128
  /// The number of extensions that are listed. Further ones are not.
  private static let extensionsLimit = 64

  /// The subject's Name as RFC 2253 writes it, or empty if it cannot be written.
  package var subjectText: String {
    unsafe X509_get_subject_name(handle).map { unsafe Self.text(of: $0) } ?? ""
  }

  /// The issuer's Name as RFC 2253 writes it, or empty if it cannot be written.
  package var issuerText: String {
    unsafe X509_get_issuer_name(handle).map { unsafe Self.text(of: $0) } ?? ""
  }

  /// The bytes of the serial number, the most significant first.
  package var serialNumber: [UInt8] {
    unsafe X509_get0_serialNumber(handle).map { unsafe Bytes.copy($0) } ?? []
  }

  package var extensions: [CertificateExtension] {
    var found: [CertificateExtension] = []
    for index in 0..<min(unsafe X509_get_ext_count(handle), Int32(Self.extensionsLimit)) {
      guard let one = unsafe X509_get_ext(handle, index),
        let object = unsafe X509_EXTENSION_get_object(one),
        let value = unsafe X509_EXTENSION_get_data(one)
      else { continue }
      let identifier = unsafe Self.text(Self.identifierLimit) { start, size in
        unsafe OBJ_obj2txt(start, Int32(size), object, 1) > 0
      }
      unsafe found.append(
        CertificateExtension(
          identifier: identifier, isCritical: X509_EXTENSION_get_critical(one) == 1,
          value: Bytes.copy(value)))
    }
    ErrorQueue.drain()
    return found
  }

  package func isSigned(by issuer: Certificate) -> Bool {
    defer { ErrorQueue.drain() }
    return unsafe attest_is_signed_by(handle, issuer.handle) == 1
  }

  private static func text(of name: OpaquePointer) -> String {
    let text = unsafe text(nameLimit) { start, size in
      unsafe attest_name_text(name, start, size) == 1
    }
    ErrorQueue.drain()
    return text
  }

  /// Returns a text that ends in a zero byte, or an empty text if `write` says that it wrote none.
  private static func text(
    _ limit: Int, _ write: (UnsafeMutablePointer<CChar>, Int) -> Bool
  ) -> String {
    var bytes = [CChar](repeating: 0, count: limit)
    let isWritten = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe write(start, limit)
    }
    guard isWritten else { return "" }
    return String(
      decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
