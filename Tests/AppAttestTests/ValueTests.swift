import Testing

@testable import AppAttest

struct UTCTimeTests {
  private func seconds(_ text: String) -> Int64? { UTCTime.seconds(Array(text.utf8).span) }

  @Test func `times of certificates are read, from 1950 to 2049`() {
    #expect(seconds("700101000000Z") == 0)
    #expect(seconds("500101000000Z") == -631_152_000)
    #expect(seconds("491231235959Z") == 2_524_607_999)
    #expect(seconds("240229120000Z") == 1_709_208_000)
  }

  @Test(arguments: [
    "", "700101000000", "7001010000Z", "700101000000z", "700101000000+0000", "701301000000Z",
    "700001000000Z", "700100000000Z", "700132000000Z", "230229000000Z", "700101240000Z",
    "700101006000Z", "700101000060Z", "70010100000:Z", "19700101000000Z",
  ])
  func `what is no such time is refused`(text: String) {
    #expect(seconds(text) == nil)
  }
}

/// The table of issuers and signers that verified.
struct RecentValuesTests {
  private func value(
    _ values: RecentValues<Int>, _ front: [UInt8], _ back: [UInt8] = []
  ) -> Int? {
    values.value(at: front.span, back.span)
  }

  @Test func `a key is compared as a whole, wherever it is divided`() {
    var values = RecentValues<Int>()
    let key: [UInt8] = [1, 2, 3, 4]
    values.insert(1, at: key)
    values.insert(2, at: [])
    for cut in 0...4 {
      #expect(value(values, Array(key[..<cut]), Array(key[cut...])) == 1)
      for place in 0..<4 {
        var other = key
        other[place] ^= 128
        #expect(value(values, Array(other[..<cut]), Array(other[cut...])) == nil)
      }
    }
    #expect(value(values, [1, 2], [3]) == nil)
    #expect(value(values, [1, 2, 3, 4], [0]) == nil)
    #expect(value(values, []) == 2)
  }

  @Test func `a key that comes again has its last value, and a full table begins again`() {
    var values = RecentValues<Int>()
    for number in 0..<RecentValues<Int>.limit { values.insert(number, at: [UInt8(number)]) }
    values.insert(1000, at: [5])
    #expect(value(values, [5]) == 1000)
    #expect(value(values, [0]) == 0)
    values.insert(1001, at: [200])
    #expect(value(values, [200]) == 1001)
    #expect(value(values, [5]) == nil)
  }
}

struct DetailTextTests {
  @Test func `texts are quoted, and cut between characters`() {
    #expect(DetailText.quoted("a\u{1B}b") == "\"a\u{1B}b\"")
    #expect(DetailText.quoted([]) == "\"\"" && DetailText.quoted(nil as [UInt8]?) == "none")
    #expect(DetailText.quoted([0xFF]) == "\"\u{FFFD}\"")
    let long = DetailText.quoted(String(repeating: "😀", count: 5000))
    #expect(long == "\"" + String(repeating: "😀", count: 24) + "…\"")
    #expect(
      DetailText.quoted("x" + String(repeating: "é", count: 90)).contains("\u{FFFD}") == false)
  }

  @Test func `bytes are hex, and cut`() {
    #expect(DetailText.hex([0, 0xAB, 0xFF]) == "00abff")
    #expect(DetailText.hex([]) == "empty" && DetailText.hex(nil) == "none")
    #expect(DetailText.hex([UInt8](repeating: 1, count: 60_000)).unicodeScalars.count == 97)
  }

  @Test func `lists are cut`() {
    #expect(DetailText.list([]) == "none" && DetailText.list(["a", "b"]) == "a, b")
    #expect(DetailText.list((0..<10).map { "\($0)" }) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more")
  }

  @Test(arguments: [
    (UInt64(0), "0 ms"), (999, "999 ms"), (1000, "1 s"), (9001, "9001 ms"), (30_001, "30.001 s"),
    (300_000, "5 min"), (86_400_000, "1 d"), (90_000_000, "1 d 1 h"), (1_229_282, "20 min 29 s"),
    // More than a limit of an hour is not an hour.
    (3_600_001, "1 h 1 ms"), (570_000, "9 min 30 s"), (.max, "213503982334 d 14 h"),
  ])
  func `durations have one or two units that a person reads`(_ value: UInt64, _ text: String) {
    #expect(DetailText.duration(value) == text)
  }
}

struct AppleTrustTests {
  private func fingerprint(_ certificate: [UInt8]) -> String {
    Digest256.sha256(certificate.span).hex
  }

  @Test func `the embedded roots are Apple's (facts.R31)`() {
    #expect(
      fingerprint(AppleTrust.appAttestationRootCA)
        == "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932")
    #expect(
      fingerprint(AppleTrust.rootCAG3)
        == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
  }

  @Test func `anchors that are none are an error`() {
    #expect(throws: TrustAnchorError.self) { try TrustAnchors(der: []) }
    #expect(throws: TrustAnchorError.self) { try TrustAnchors(der: [[1, 2, 3]]) }
    #expect(throws: TrustAnchorError.self) {
      try TrustAnchors.certificates(pem: Array("no certificate".utf8))
    }
    #expect(throws: TrustAnchorError.self) {
      try AttestationVerifier(
        apps: ConfiguredApps([]), trustAnchors: [AppleTrust.appAttestationRootCA],
        receiptAnchors: [])
    }
  }
}

struct ConfiguredAppsTests {
  @Test func `with an App ID the app is that one, or unknown, whose hash it may be`() {
    let apps = ConfiguredApps([AppPolicy(id: "ABC.one"), AppPolicy(id: "ABC.two")])
    func judge(_ id: String, _ hashed: String) -> (Bool, Int?) {
      let bytes = Array(hashed.utf8)
      return apps.judge(appID: id, rpIDHash: .sha256(bytes.span))
    }
    #expect(judge("ABC.one", "ABC.two") == (false, 0))
    #expect(judge("ABC.three", "ABC.one") == (false, nil))
    #expect(judge("abc.one", "ABC.one") == (false, nil))
  }
}
