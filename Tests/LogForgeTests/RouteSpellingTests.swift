import Testing

@testable import LogForge

struct RouteSpellingTests {
  @Test func `every spelling is another one of the same route`() {
    let texts = RouteSpelling.allCases.map { $0.spell("/attest/verify") }
    #expect(
      texts == [
        "/attest/verify", "/attest/verify/", "/attest/verify?x=1", "/attest/verify#top",
        "/ATTEST/VERIFY", "//attest//verify", "https://api.example.com/attest/verify/",
        "/%61ttest/verify", "HTTPS://API.example.com:8443//%41TTEST/VERIFY/?next=/a/b#c",
      ])
  }

  @Test func `most paths are plain, and no stream depends on it`() {
    var random = ForgeRandom(5)
    var plain = 0
    for _ in 0..<1_000 {
      let before = random
      if RouteSpelling.any(random) == .plain { plain += 1 }
      var (one, other) = (before, random)
      #expect(one.next() == other.next())
      _ = random.next()
    }
    #expect((700...900).contains(plain))
  }
}
