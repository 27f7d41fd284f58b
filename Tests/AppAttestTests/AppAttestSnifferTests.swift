import AppAttest
import Basics
import LogForge
import TestSupport
import Testing

/// Objects, and beginnings of tokens: `Tests/Cases/sniffer.txt`.
struct AppAttestSnifferTests {
  private func isObject(_ token: [UInt8]) -> Bool {
    AppAttestSniffer.isAppAttestObject(token.span)
  }

  /// Members of maps by the names that the table has for them.
  private static let members = [
    "apple": #"text("fmt") + text("apple-appattest")"#, "none": #"text("fmt") + text("none")"#,
    "extension": #"text("attStmt") + bytes(#06092A864886F763640802)"#,
    "statement": #"text("attStmt") + #A0"#, "data": #"text("authData") + #43010203"#,
    "signature": #"text("signature") + #4100"#, "hash": #"text("cdHash") + #4100"#,
    "assertionData": #"text("authenticatorData") + #4100"#, "other": #"text("x") + #00"#,
    "capitals": #"text("Signature") + #00"#, "small": #"text("authdata") + #00"#,
  ].mapValues { [UInt8](written: $0) }

  @Test(arguments: TextCase.read("sniffer"))
  func `an object has one of two names in its map, and a token most names (records.R53)`(
    row: TextCase
  ) {
    for line in row.lines {
      switch row.message {
      case "an object", "no object":
        #expect(isObject([UInt8](written: line)) == (row.message == "an object"), "\(line)")
      default: expectBeginning(line, isToken: row.message == "a token")
      }
    }
  }

  /// Expects a map of members to begin a token or not, in each form of its head and after tags.
  private func expectBeginning(_ line: Substring, isToken: Bool) {
    let names = line.split(separator: " ").map(String.init)
    let entries = names.flatMap { Self.members[$0] ?? [] }
    let count = UInt8(names.count)
    for head in [[0xA0 | count], [0xB8, count], [0xB9, 0, count], [0xBF]] {
      let bytes = head + entries + (head == [0xBF] ? [0xFF] : [])
      for tag in [[], [0xD9, 0xD9, 0xF7], [0xC1, 0xD8, 0x20]] as [[UInt8]] {
        #expect(Self.beginsToken(tag + bytes) == isToken, "\(line) \(head) \(tag)")
      }
      #expect(Self.beginsToken(bytes + [1, 2, 3]) == isToken, "\(line)")
    }
  }

  @Test func `depth does not hide an object`() {
    let name = CBORWriter.text("authData")
    for opening in [[0x81], [0xC1], [0xA1, 0x00], [0xA1]] as [[UInt8]] {
      let filling = opening == [0xA1] ? [UInt8](repeating: 0, count: 5001) : [0]
      let deep = Array(repeating: opening, count: 5000).flatMap { $0 } + filling
      #expect(isObject(CBORWriter.map([([1], deep), (name, [0])])))
    }
  }

  @Test func `a cut token is an object once its name is whole`() {
    let token = CBORWriter.map([
      ([1], CBORWriter.bytes([1, 2])), (CBORWriter.text("authData"), CBORWriter.array([[0xF6]])),
    ])
    let name = token.count - 2
    for count in 0..<token.count {
      #expect(isObject(Array(token.prefix(count))) == (count >= name), "\(count)")
    }
  }

  private static func beginsToken(_ bytes: [UInt8], following: Int = 0) -> Bool? {
    switch AppAttestSniffer.tokenFront(bytes.span, following: following).extent {
    case .none, .otherObject: false
    case .unnamed, .undecided: nil
    case .whole, .open, .broken: true
    }
  }

  private static func map(_ names: String...) -> [UInt8] {
    [0xA0 | UInt8(names.count)] + names.flatMap { members[$0] ?? [] }
  }

  @Test func `a token that is cut counts, and the rest of one can decide`() {
    let passkey = Self.map("none", "statement", "data")
    let assertion = CBORWriter.map([
      (CBORWriter.text("signature"), CBORWriter.bytes([1, 2, 3])), (CBORWriter.text("x"), [0]),
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
    // A map whose head does not say how many members it has.
    #expect(Self.beginsToken([0xBF] + assertion.prefix(14).dropFirst(), following: 1000) == nil)
    // The first name of a token is behind members of any length.
    func value(_ head: [UInt8], _ count: Int) -> Bool? {
      let bytes =
        [0xA3, 0x61, 0x78] + head + [UInt8](repeating: 0, count: count) + assertion.dropFirst()
      return Self.beginsToken(bytes, following: 100_000)
    }
    #expect(value([0x59, 0x0F, 0x00], 0x0F00) == true)
    #expect(value([0x59, 0xF0, 0x00], 0xF000) == true)
    #expect(value([0x5A, 0, 1, 0, 0], 0x10000) == true)
    #expect(value([0x5A, 0, 4, 0, 0], 0x10000) == false)
    #expect(value([UInt8](repeating: 0x81, count: 1000), 1) == true)
  }

  @Test func `a token is complete with all names, and other bytes can follow it`() {
    func extent(_ map: [UInt8]) -> TokenFront.Extent {
      AppAttestSniffer.tokenFront((map + [1, 2]).span).extent
    }
    let whole = Self.map("apple", "statement", "data", "other")
    #expect(extent(whole) == .whole(whole.count))
    #expect(extent(Self.map("apple", "statement", "other")) == .broken)
    let cut = CBORWriter.map([(CBORWriter.text("signature"), [0x43, 1])])
    let open = [0xA2] + cut.dropFirst()
    #expect(AppAttestSniffer.tokenFront(open.span).extent == .open)
  }
}
