@testable import AppAttest

/// The parts of an attestation object, to be put together again with one of them replaced.
struct AttestationPieces {
  /// The certificates, the receipt, the authenticator data.
  var all: [[UInt8]]

  init(_ token: [UInt8]) throws {
    let statement = try AttestationStatement(token.span)
    let content = try AttestationContent(statement, token.span)
    all =
      statement.certificates.map { $0.copy(from: token.span) } + [
        statement.receipt?.copy(from: token.span) ?? [], content.authData,
      ]
  }

  var token: [UInt8] {
    let certificates = all.dropLast(2)
    return [0xA3] + text("fmt") + text("apple-appattest") + text("attStmt") + [0xA2]
      + text("x5c") + [0x80 | UInt8(certificates.count)] + certificates.flatMap { string(2, $0) }
      + text("receipt") + string(2, all[all.count - 2]) + text("authData")
      + string(2, all[all.count - 1])
  }

  private func text(_ text: String) -> [UInt8] { string(3, Array(text.utf8)) }

  /// A string of definite length (RFC 8949, 3), shorter than 64 KiB.
  private func string(_ major: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    switch bytes.count {
    case ..<24: [major << 5 | UInt8(bytes.count)] + bytes
    case ..<256: [major << 5 | 24, UInt8(bytes.count)] + bytes
    default: [major << 5 | 25, UInt8(bytes.count >> 8 & 255), UInt8(bytes.count & 255)] + bytes
    }
  }
}
