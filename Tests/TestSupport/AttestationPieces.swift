import AppAttest
import LogForge

/// The parts of an attestation, to be changed and put together again.
package struct AttestationPieces {
  private let format: String
  package var certificates: [[UInt8]] = []
  package var receipt: [UInt8]
  package var authData: [UInt8]

  /// Takes an attestation apart, which has `fmt`, `attStmt` and `authData` in this order. A
  /// `cdHash` after `fmt` is left out.
  package init(_ token: [UInt8]) throws {
    let bytes = token.span
    var reader = CBORReader()
    _ = try reader.enterMap(bytes)
    _ = try reader.readString(major: 3, bytes)
    format = try reader.readString(major: 3, bytes).withSpan(in: bytes) { $0.text }
    while try !reader.readString(major: 3, bytes).equals("attStmt", in: bytes) {
      try reader.skip(bytes, checked: true)
    }
    _ = try reader.enterMap(bytes)
    _ = try reader.readString(major: 3, bytes)
    var count = try reader.enterArray(bytes)
    while try reader.next(&count, bytes) {
      certificates.append(try reader.readString(major: 2, bytes).copy(from: bytes))
    }
    _ = try reader.readString(major: 3, bytes)
    receipt = try reader.readString(major: 2, bytes).copy(from: bytes)
    _ = try reader.readString(major: 3, bytes)
    authData = try reader.readString(major: 2, bytes).copy(from: bytes)
  }

  package var token: [UInt8] {
    let x5c = CBORWriter.array(certificates.map { CBORWriter.bytes($0) })
    let statement = CBORWriter.map([
      (CBORWriter.text("x5c"), x5c), (CBORWriter.text("receipt"), CBORWriter.bytes(receipt)),
    ])
    return CBORWriter.map([
      (CBORWriter.text("fmt"), CBORWriter.text(format)), (CBORWriter.text("attStmt"), statement),
      (CBORWriter.text("authData"), CBORWriter.bytes(authData)),
    ])
  }
}
