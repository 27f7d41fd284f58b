import AppAttest
import LogForge
import Testing

struct AssertionTests {
  private static let signature: [UInt8] = (0..<70).map { UInt8($0) }
  private static let data: [UInt8] =
    [UInt8](repeating: 7, count: 32) + [0x40, 0xFF, 0xFF, 0xFF, 0xFE]

  private func parse(_ token: [UInt8]) throws -> Assertion {
    try Assertion.parse(token.span)
  }

  private func reason(_ token: [UInt8]) -> String? {
    do throws(MalformedToken) {
      _ = try Assertion.parse(token.span)
      return nil
    } catch {
      return error.reason
    }
  }

  private func token(
    extensions: [UInt8] = [], more: [(key: [UInt8], value: [UInt8])] = []
  ) -> [UInt8] {
    CBORWriter.map(
      [
        (CBORWriter.text("signature"), CBORWriter.bytes(Self.signature)),
        (CBORWriter.text("authenticatorData"), CBORWriter.bytes(Self.data + extensions)),
      ] + more)
  }

  private func signature(of token: [UInt8]) throws -> [UInt8] {
    try parse(token).withSignature(in: token.span) { $0.copied() }
  }

  private func authenticatorData(of token: [UInt8]) throws -> [UInt8] {
    try parse(token).withAuthenticatorData(in: token.span) { $0.copied() }
  }

  @Test func `tags before the map are skipped, and count as levels of nesting`() throws {
    // verification.R31, R32; records.R39.
    let tags: [[UInt8]] = [
      [0xD9, 0xD9, 0xF7], [0xC1], [0xD9, 0xD9, 0xF8, 0xC1], [0xDA, 0, 0, 0xD9, 0xF7],
      [UInt8](repeating: 0xC6, count: 15),
    ]
    for tags in tags {
      #expect(try signature(of: tags + token()) == Self.signature)
      #expect(try authenticatorData(of: tags + token()) == Self.data)
      #expect(hasTags(tags + token()))
    }
    #expect(!hasTags(token()))
    #expect(reason([UInt8](repeating: 0xC6, count: 16) + token()) != nil)
    #expect(reason([0xD9, 0xD9, 0xF7]) != nil)
    for noMap in [[0xC1], [0xC1, 0x80], [0xD9, 0xD9]] as [[UInt8]] {
      #expect(!hasTags(noMap))
    }
  }

  private func hasTags(_ token: [UInt8]) -> Bool { AppAttestSniffer.hasTags(token.span) }

  private func unsigned(_ token: [UInt8]) -> UnsignedCodeHash? {
    UnsignedCodeHash(token: token.span)
  }

  @Test func `the parts are found in the token (facts.R5)`() throws {
    let token = token()
    let assertion = try parse(token)
    #expect(assertion.counter == 0xFFFF_FFFE)
    #expect(assertion.rpIDHash.bytes == [UInt8](repeating: 7, count: 32))
    #expect(assertion.extensions.category == .absent)
    #expect(try signature(of: token) == Self.signature)
    #expect(try authenticatorData(of: token) == Self.data)
    let (data, hash) = (Self.data, [UInt8](repeating: 1, count: 32))
    let nonce = Assertion.nonce(authenticatorData: data.span, clientDataHash: hash.span)
    #expect(
      try parse(token).digest(in: token.span, clientDataHash: hash.span)
        == Assertion.digest(nonce: nonce))
  }

  @Test func `cut anywhere, or with a byte more, it is malformed`() {
    let token = token()
    for count in 0..<token.count { #expect(reason(Array(token.prefix(count))) != nil) }
    #expect(
      reason(token + [0]) == "The assertion is malformed: bytes are left over after the CBOR item.")
  }

  @Test func `a code hash of any length is kept as it is, with a type of one byte`() throws {
    // verification.R39.
    func read(_ hash: [UInt8], _ type: [UInt8]) throws -> AuthenticatorExtensions {
      let map = CBORWriter.map([
        (CBORWriter.text("apple_cd_hash_hash_01"), hash),
        (CBORWriter.text("apple_cd_hash_type_01"), type),
      ])
      return try parse(token(extensions: map)).extensions
    }
    for count in [0, 1, 19, 20, 31, 32, 33, 64, 300] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let signed = try read(CBORWriter.bytes(bytes), CBORWriter.bytes([2]))
      #expect(signed.codeHash.value?.bytes == bytes && signed.codeHash.value?.byteCount == count)
      #expect(signed.codeHashType == .value(2))
    }
    for odd in [[0x02], CBORWriter.text("ab"), [0xF6], CBORWriter.bytes([2, 0])] {
      let signed = try read(odd, odd)
      #expect((signed.codeHash == .unreadable) == (odd[0] != 0x42))
      #expect(signed.codeHashType == .unreadable)
    }
  }

  @Test func `a cdHash at the top level is no signed one`() throws {
    // verification.R39; facts.R33: a map of three.
    let member = CBORWriter.map([
      (CBORWriter.text("hash"), CBORWriter.bytes([UInt8](repeating: 5, count: 20))),
      (CBORWriter.text("type"), CBORWriter.bytes([2])),
    ])
    let token = token(more: [(CBORWriter.text("cdHash"), member)])
    #expect(try parse(token).extensions.codeHash == .absent)
    let found = unsigned(token)
    #expect(found?.hash.value?.bytes == [UInt8](repeating: 5, count: 20))
    #expect(found?.type == .value(2))
    #expect(unsigned(self.token()) == nil)
    #expect(unsigned(self.token(more: [(CBORWriter.text("cdHash"), [1])])) == nil)
  }
}
