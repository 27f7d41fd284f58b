import AppAttest
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
    signature: [UInt8]? = nil, data: [UInt8]? = nil, more: [([UInt8], [UInt8])] = []
  ) -> [UInt8] {
    CBOR.map(
      [
        (CBOR.text("signature"), signature ?? CBOR.bytes(Self.signature)),
        (CBOR.text("authenticatorData"), data ?? CBOR.bytes(Self.data)),
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

  @Test func `the parts are found in the token`() throws {
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

  private func extensions(
    _ pairs: [([UInt8], [UInt8])]
  ) throws -> AuthenticatorExtensions {
    try parse(token(data: CBOR.bytes(Self.data + CBOR.map(pairs)))).extensions
  }

  @Test func `category and bundle version are read, others passed over`() throws {
    let category = CBOR.text("apple_validation_category_01")
    let version = CBOR.text("apple_bundle_version_01")
    let both = try extensions([
      (category, CBOR.bytes([4, 0, 0, 0])), (CBOR.text("apple_cd_hash_other_01"), [2]),
      ([0x05], [0x80]), (version, CBOR.text("1.2.3")),
    ])
    #expect(both.category == .value(ValidationCategory(rawValue: 4)))
    #expect(both.bundleVersion == .value("1.2.3"))
    let little = try extensions([(category, CBOR.bytes([0, 1, 0, 0]))])
    #expect(little.category.value?.rawValue == 256)
    #expect(little.bundleVersion == .absent)
    for odd in [CBOR.bytes([4]), CBOR.bytes([4, 0, 0, 0, 0]), [0x04], CBOR.text("abcd")] {
      #expect(try extensions([(category, odd)]).category == .unreadable)
    }
    for odd in [CBOR.bytes([0x31]), [0x01], [0xF6]] {
      #expect(try extensions([(version, odd)]).bundleVersion == .unreadable)
    }
  }

  @Test func `a code hash of any length is kept as it is`() throws {
    // verification.R39.
    let (hash, type) = (CBOR.text("apple_cd_hash_hash_01"), CBOR.text("apple_cd_hash_type_01"))
    for count in [0, 1, 19, 20, 31, 32, 33, 64, 300] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let read = try extensions([(hash, CBOR.bytes(bytes)), (type, CBOR.bytes([2]))])
      #expect(read.codeHash.value?.bytes == bytes && read.codeHash.value?.byteCount == count)
      #expect(read.codeHashType == .value(2))
    }
    for odd in [[0x02], CBOR.text("ab"), [0xF6]] as [[UInt8]] {
      #expect(try extensions([(hash, odd)]).codeHash == .unreadable)
      #expect(try extensions([(type, odd)]).codeHashType == .unreadable)
    }
    #expect(try extensions([(type, CBOR.bytes([2, 0]))]).codeHashType == .unreadable)
  }

  @Test func `a cdHash at the top level is no signed one`() throws {
    // verification.R39; facts.R33: a map of three.
    let member = CBOR.map([
      (CBOR.text("hash"), CBOR.bytes([UInt8](repeating: 5, count: 20))),
      (CBOR.text("type"), CBOR.bytes([2])),
    ])
    let token = token(more: [(CBOR.text("cdHash"), member)])
    #expect(try parse(token).extensions.codeHash == .absent)
    let found = unsigned(token)
    #expect(found?.hash.value?.bytes == [UInt8](repeating: 5, count: 20))
    #expect(found?.type == .value(2))
    #expect(unsigned(self.token()) == nil)
    #expect(unsigned(self.token(more: [(CBOR.text("cdHash"), [1])])) == nil)
  }
}
