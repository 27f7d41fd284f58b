import AppAttest
import TestSupport

/// The parts of a genuine attestation, to be changed and put together again.
struct GenuineParts {
  var format = "apple-appattest"
  var certificates: [[UInt8]] = []
  var receipt: [UInt8] = []
  var hasReceipt = true
  var authData: [UInt8] = []

  /// Takes a genuine attestation apart, which has `fmt`, `attStmt` and `authData` in this order. A
  /// `cdHash` after `fmt` is left out.
  init(_ token: [UInt8]) throws {
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

  var statement: [UInt8] {
    let x5c = (CBOR.text("x5c"), CBOR.array(certificates.map { CBOR.bytes($0) }))
    return CBOR.map(hasReceipt ? [x5c, (CBOR.text("receipt"), CBOR.bytes(receipt))] : [x5c])
  }

  var token: [UInt8] {
    CBOR.map([
      (CBOR.text("fmt"), CBOR.text(format)), (CBOR.text("attStmt"), statement),
      (CBOR.text("authData"), CBOR.bytes(authData)),
    ])
  }
}
