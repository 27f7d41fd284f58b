import Foundation

/// Certificates in PEM (RFC 7468).
enum PEM {
  static func certificate(_ der: [UInt8]) -> String {
    let options: Data.Base64EncodingOptions = [.lineLength64Characters, .endLineWithLineFeed]
    return "-----BEGIN CERTIFICATE-----\n" + Data(der).base64EncodedString(options: options)
      + "\n-----END CERTIFICATE-----\n"
  }
}
