import AppAttest
import TestSupport
import Testing

@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct ReceiptTests {
  private let vector = Genuine.named("veehaitch-ios-14.4-receipt2")

  private func parse(_ bytes: [UInt8]) throws -> Receipt {
    try Receipt.parse(bytes.span)
  }

  @Test func `a receipt cut anywhere, or with a byte more, is malformed`() throws {
    let bytes = vector.tokenBytes
    _ = try parse(bytes)
    for count in 0..<bytes.count {
      #expect(throws: MalformedToken.self) { _ = try parse(Array(bytes.prefix(count))) }
    }
    #expect(throws: MalformedToken.self) { _ = try parse(bytes + [0]) }
  }

  @Test func `a receipt is judged at the time given`() throws {
    let anchors = try TrustAnchors(der: [AppleTrust.rootCAG3])
    let receipt = try parse(vector.tokenBytes)
    #expect(receipt.verify(anchors: anchors, at: vector.time) == nil)
    for time in [0, Int64.max, Int64.min, vector.time + 3_650 * 86_400_000] {
      #expect(receipt.verify(anchors: anchors, at: time) != nil)
    }
  }
}
