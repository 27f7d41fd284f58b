import AppAttest
import TestSupport
import Testing

@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct AttestationObjectTests {
  private let vector = Genuine.named("apple-guide-2026-ios27")
  private let parts: GenuineParts

  init() throws {
    parts = try GenuineParts(vector.tokenBytes)
  }

  private func isTaken(_ token: [UInt8]) -> Bool {
    (try? AttestationObject.parse(token.span)) != nil
  }

  private func isTaken(_ change: (inout GenuineParts) -> Void) -> Bool {
    var changed = parts
    change(&changed)
    return isTaken(changed.token)
  }

  private func map(_ pairs: [(String, [UInt8])]) -> [UInt8] {
    CBOR.map(pairs.map { (CBOR.text($0.0), $0.1) })
  }

  @Test func `cut anywhere, or with a byte more, it is malformed`() {
    let token = vector.tokenBytes
    #expect(isTaken(token))
    for count in 0..<token.count { #expect(!isTaken(Array(token.prefix(count)))) }
    #expect(!isTaken(token + [0]))
  }

  @Test func `other encodings of the same are judged alike`() throws {
    let chunked =
      [0xBF] + CBOR.text("authData") + CBOR.chunked(parts.authData) + [0x7F] + CBOR.text("at")
      + CBOR.text("tStmt") + [0xFF, 0xBF] + CBOR.text("receipt") + CBOR.chunked(parts.receipt)
      + CBOR.text("x5c") + [0x9F] + parts.certificates.flatMap { CBOR.chunked($0) }
      + [0xFF, 0xFF] + CBOR.text("fmt") + [0x7F] + CBOR.text("apple-") + CBOR.text("appattest")
      + [0xFF, 0xFF]
    let judged = try Genuine.verifier(for: vector).judge(vector, token: chunked).judged
    #expect(judged?.failures == [])
    #expect(judged?.verified != nil)
    #expect(judged?.nonce == (try Genuine.verifier(for: vector).judge(vector).judged?.nonce))
  }

  @Test func `authenticator data that ends early is told by where it does`() throws {
    func reason(_ count: Int) -> String? {
      var changed = parts
      changed.authData = Array(parts.authData.prefix(count))
      do throws(MalformedToken) {
        _ = try AttestationObject.parse(changed.token.span)
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(reason(36)?.contains("shorter than 37 bytes") == true)
    #expect(reason(37)?.contains("shorter than 37 bytes") == false)
    #expect(reason(parts.authData.count) == nil)
  }

  @Test func `a part that is missing or of another type is malformed`() {
    let good: [(String, [UInt8])] = [
      ("fmt", CBOR.text("apple-appattest")), ("attStmt", parts.statement),
      ("authData", CBOR.bytes(parts.authData)),
    ]
    #expect(isTaken(map(good)))
    #expect(isTaken(map(good + [("more", [0x80])])))
    for index in good.indices {
      var missing = good
      missing.remove(at: index)
      #expect(!isTaken(map(missing)))
      var odd = good
      odd[index].1 = [0x01]
      #expect(!isTaken(map(odd)))
      #expect(!isTaken(map(good + [good[index]])))
    }
    #expect(!isTaken(CBOR.array([map(good)])))
    // verification.R18: the receipt can be missing, and is a byte string if it is there.
    let x5c = ("x5c", CBOR.array(parts.certificates.map { CBOR.bytes($0) }))
    for (receipt, isGood) in [
      ([], true), ([("receipt", CBOR.bytes([]))], true), ([("receipt", [0xF6])], false),
      ([("receipt", CBOR.text("")), ("other", [0x01])], false),
    ] as [([(String, [UInt8])], Bool)] {
      #expect(
        isTaken(map([good[0], ("attStmt", map([x5c] + receipt)), good[2]])) == isGood)
    }
  }

  @Test func `x5c holds at least two certificates, and nothing else`() {
    #expect(!isTaken { $0.certificates = [] })
    #expect(!isTaken { $0.certificates.removeLast() })
    #expect(!isTaken { $0.certificates.append([]) })
    #expect(!isTaken { $0.certificates[1].append(0) })
    #expect(!isTaken { $0.certificates[0].removeLast() })
    let x5c = CBOR.array(parts.certificates.map { CBOR.bytes($0) } + [CBOR.text("")])
    let statement = map([("x5c", x5c), ("receipt", CBOR.bytes(parts.receipt))])
    #expect(
      !isTaken(
        map([
          ("fmt", CBOR.text("apple-appattest")), ("attStmt", statement),
          ("authData", CBOR.bytes(parts.authData)),
        ])))
  }

  @Test func `authData is cut nowhere, and followed by one map at most`() {
    let plain = 164
    for count in 0..<parts.authData.count where count != plain {
      #expect(!isTaken { $0.authData = Array($0.authData.prefix(count)) }, "\(count)")
    }
    #expect(isTaken { $0.authData = Array($0.authData.prefix(plain)) })
    for tail in [[0x00], [0xA0], [0xF6]] as [[UInt8]] {
      #expect(!isTaken { $0.authData += tail })
    }
    #expect(isTaken { $0.authData = $0.authData.prefix(plain) + [0xA0] })
    #expect(!isTaken { $0.authData = $0.authData.prefix(plain) + [0x80] })
    // A credential identifier that is longer than all there is, or leaves no COSE map.
    #expect(!isTaken { $0.authData[53] = 0xFF })
    #expect(!isTaken { $0.authData[54] = 0x21 })
  }

  @Test func `65536 bytes are taken, more are not`() {
    let size = parts.token.count
    // A second map entry: 4 for its key, 3 for the head of its value.
    for (length, expected) in [(65_536, true), (65_537, false)] {
      let pad = [UInt8](repeating: 0, count: length - size - 7)
      let token = [0xA4] + parts.token.dropFirst() + CBOR.text("pad") + CBOR.bytes(pad)
      #expect(token.count == length)
      #expect(isTaken(token) == expected)
    }
  }
}
