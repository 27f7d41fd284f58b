import AppAttest
import Testing

struct AppAttestSnifferTests {
  private func isObject(_ token: [UInt8]) -> Bool {
    AppAttestSniffer.isAppAttestObject(token.span)
  }

  @Test func `a map with one of the two names is an object, whatever follows it`() {
    let assertion = CBOR.map([(CBOR.text("authenticatorData"), [0])])
    let attestation = CBOR.map([([1], [2]), (CBOR.text("authData"), CBOR.array([[1], [0xA0]]))])
    for token in [assertion, attestation] {
      #expect(isObject(token))
      #expect(isObject(token + [0xFF, 0xFF]))
    }
    #expect(isObject([0xBF, 0x7F] + CBOR.text("auth") + CBOR.text("Data") + [0xFF, 0xF6, 0xFF]))
  }

  @Test func `duplicates, bad text and depth do not hide an object`() {
    let name = CBOR.text("authData")
    #expect(isObject(CBOR.map([(name, [0]), (name, [0])])))
    #expect(isObject(CBOR.map([([0x61, 0xFF], [0]), (name, [0])])))
    for opening in [[0x81], [0xC1], [0xA1, 0x00], [0xA1]] as [[UInt8]] {
      let filling = opening == [0xA1] ? [UInt8](repeating: 0, count: 5001) : [0]
      let deep = Array(repeating: opening, count: 5000).flatMap { $0 } + filling
      #expect(isObject(CBOR.map([([1], deep), (name, [0])])))
    }
  }

  @Test func `other tokens are none`() {
    #expect(!isObject([]))
    #expect(!isObject(Array("eyJhbGciOiJFUzI1NiJ9.e30.c2ln".utf8)))
    #expect(!isObject(Array("{\"authData\":1}".utf8)))
    #expect(!isObject([0xA0]))
    #expect(!isObject(CBOR.text("authData")))
    #expect(!isObject(CBOR.array([CBOR.map([(CBOR.text("authData"), [0])])])))
    #expect(!isObject(CBOR.map([([1], CBOR.map([(CBOR.text("authData"), [0])]))])))
    #expect(!isObject(CBOR.map([([1], CBOR.text("authData"))])))
    #expect(!isObject(CBOR.map([(CBOR.bytes(Array("authData".utf8)), [0])])))
    #expect(!isObject(CBOR.map([(CBOR.text("authdata"), [0])])))
  }

  @Test func `a map behind tags is an object`() {
    let token = CBOR.map([(CBOR.text("authData"), [0])])
    for tags in [[0xC1], [0xD9, 0xD9, 0xF7], [0xC1, 0xD8, 0x20], [0xDB, 1, 2, 3, 4, 5, 6, 7, 8]] {
      #expect(isObject(tags.map { UInt8($0) } + token))
    }
    #expect(isObject([UInt8](repeating: 0xC1, count: 100_000) + token))
    for front in [[0xDF], [0xDC], [0xD9, 0xD9], [0xC1, 0x81], [0x00]] as [[UInt8]] {
      #expect(!isObject(front + token))
    }
  }

  @Test
  func `what is damaged behind a name hides no object, and what is damaged before it shows none`() {
    let token = CBOR.map([
      ([1], CBOR.bytes([1, 2])), (CBOR.text("authData"), CBOR.array([[0xF6]])),
    ])
    let name = token.count - 2
    for count in 0..<token.count {
      #expect(isObject(Array(token.prefix(count))) == (count >= name), "\(count)")
    }
    #expect(isObject([0xBF] + CBOR.text("authData") + [0xFF]))
    for damage in [[0xFF], [0x1C], [0x5A, 0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
      #expect(isObject(CBOR.map([(CBOR.text("authData"), damage)])))
      #expect(!isObject(CBOR.map([([1], damage), (CBOR.text("authData"), [0])])))
    }
  }
}
