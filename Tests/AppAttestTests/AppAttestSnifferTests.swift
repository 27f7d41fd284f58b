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

  // MARK: Beginnings

  private static func item(_ name: String, _ value: [UInt8]) -> (key: [UInt8], value: [UInt8]) {
    (CBOR.text(name), value)
  }

  private static func beginsToken(_ bytes: [UInt8], following: Int = 0) -> Bool? {
    AppAttestSniffer.tokenFront(bytes.span, following: following).length.map { $0 != 0 }
  }

  private static let none = item("fmt", CBOR.text("none"))
  private static let apple = item("fmt", CBOR.text("apple-appattest"))
  private static let statement = item("attStmt", [0xA0])
  private static let data = item("authData", [0x43, 1, 2, 3])
  private static let hash = item("cdHash", [0x41, 0])
  private static let other = item("x", [0])

  @Test(
    arguments: [
      ("attestation", [apple, statement, data], true),
      ("its keys in any order", [data, statement, apple], true),
      ("of two", [apple, data], true), ("without a format", [statement, data], true),
      ("with cdHash", [apple, statement, data, hash], true),
      ("of one", [data], false), ("of four", [apple, statement, data, other], true),
      ("of five", [apple, statement, data, hash, other], true),
      ("of four, not all names", [apple, data, other, other], false),
      ("of five, not all names", [statement, data, hash, other, other], false),
      ("passkey", [none, statement, data], false),
      ("assertion", [item("signature", [0x41, 0]), item("authenticatorData", [0x41, 0])], true),
      ("of three", [item("authenticatorData", [0x41, 0]), other, other], true),
      ("of four, one name", [item("signature", [0x41, 0]), hash, other, other], false),
      (
        "of five, both names (verification.R24)",
        [other, item("authenticatorData", [0x41, 0]), hash, item("signature", [0x41, 0]), hash],
        true
      ),
      ("other names", [other, item("Signature", [0]), item("authdata", [0])], false),
      (
        "passkey with Apple's extension",
        [
          none,
          item(
            "attStmt", [0x4B, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, 0x02]),
          data,
        ],
        true
      ),
    ] as [(String, [(key: [UInt8], value: [UInt8])], Bool)])
  func `a token is told by the size and names of its map (records.R53)`(
    _ name: String, _ items: [(key: [UInt8], value: [UInt8])], _ isToken: Bool
  ) {
    let map = CBOR.map(items.map { ($0.key, $0.value) })
    let entries = Array(map.dropFirst())
    let count = UInt8(items.count)
    for head in [[0xA0 | count], [0xB8, count], [0xB9, 0, count], [0xBF]] {
      let bytes = head + entries + (head == [0xBF] ? [0xFF] : [])
      for tag in [[], [0xD9, 0xD9, 0xF7], [0xC1, 0xD8, 0x20]] as [[UInt8]] {
        #expect(
          Self.beginsToken(tag + bytes) == isToken, "\(name) \(head) \(tag)")
      }
      #expect(Self.beginsToken(bytes + [1, 2, 3]) == isToken, "\(name)")
    }
  }

  @Test func `a token that is cut counts, and the rest of one can decide`() {
    let passkey = CBOR.map([
      (Self.none.key, Self.none.value), (Self.statement.key, Self.statement.value),
      (Self.data.key, Self.data.value),
    ])
    let assertion = CBOR.map([
      (CBOR.text("signature"), CBOR.bytes([1, 2, 3])), (CBOR.text("x"), [0]),
    ])
    for count in 12..<assertion.count {
      #expect(Self.beginsToken(Array(assertion.prefix(count))) == true)
      #expect(Self.beginsToken(Array(assertion.prefix(count)), following: 1000) == true)
    }
    for count in 0..<passkey.count {
      let part = Array(passkey.prefix(count))
      #expect(Self.beginsToken(part) == (count >= 5))
      #expect(Self.beginsToken(part, following: 1000) == nil)
    }
    #expect(Self.beginsToken([0x81, 0xA2], following: 1000) == false)
    // The first name of a token is within the bytes that a token can have (verification.R32).
    func value(_ head: [UInt8], _ count: Int) -> Bool? {
      let bytes =
        [0xA3, 0x61, 0x78] + head + [UInt8](repeating: 0, count: count) + assertion.dropFirst()
      return Self.beginsToken(bytes, following: 100_000)
    }
    #expect(value([0x59, 0x0F, 0x00], 0x0F00) == true)
    #expect(value([0x59, 0xF0, 0x00], 0xF000) == true)
    #expect(value([0x5A, 0, 1, 0, 0], 0x10000) == false)
    #expect(value([UInt8](repeating: 0x81, count: 1000), 1) == true)
  }

  @Test func `a token is complete with all names, and other bytes can follow it`() {
    func length(_ items: [(key: [UInt8], value: [UInt8])], _ following: Int = 0) -> (Int?, Int) {
      let map = CBOR.map(items.map { ($0.key, $0.value) })
      return (
        AppAttestSniffer.tokenFront((map + [1, 2]).span, following: following).length, map.count
      )
    }
    let whole = length([Self.apple, Self.statement, Self.data, Self.other])
    #expect(whole.0 == whole.1)
    #expect(length([Self.apple, Self.statement, Self.other]).0 == -1)
    let cut = CBOR.map([(CBOR.text("signature"), [0x43, 1])])
    let open = [0xA2] + cut.dropFirst()
    #expect(AppAttestSniffer.tokenFront(open.span).length == Int.max)
  }
}
