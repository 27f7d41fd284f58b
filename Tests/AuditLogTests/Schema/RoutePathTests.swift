import Testing

@testable import AuditLog

@Suite struct `Route paths` {
  private func fits(_ pattern: String, _ route: String) throws -> Bool {
    let pattern = try RoutePattern(parsing: pattern)
    return RoutePath.fits(pattern.normal.span, Array(route.utf8).span)
  }

  @Test(arguments: [
    "/attest/verify", "/attest/verify/", "/attest/verify?x=1", "/attest/verify#top",
    "/attest/verify/?next=/other", "/ATTEST/verify", "//attest/verify", "/attest///verify//",
    "https://api.example.com/attest/verify/", "HTTP://[::1]:8080/attest/verify?x=https://a/b",
    "/%61ttest/veri%66y", "/%41TTEST/verify", "attest/verify", "/attest/verify?",
    "https://h/attest/verify#a?b",
  ])
  func `lenient routers take all these for one route`(_ route: String) throws {
    #expect(try fits("/attest/verify", route))
    #expect(try fits("/Attest//verify/", route))
    #expect(RoutePath.normal(Array(route.utf8).span) == Array("/attest/verify".utf8))
  }

  @Test(arguments: [
    "", "/", "/attest", "/attest/verify2", "/attest/verif", "/attest/verify/x", "/x/attest/verify",
    "/attest%2Fverify", "/attest/veri%6", "/attest/veri%zzfy", "/attestverify", "?/attest/verify",
    "#/attest/verify", "https://attest/verify", "://attest/verify", "/attest/verify%3Fx=1",
    "/%2561ttest/verify", "/attest/verify;x=1", "/attest/./verify", "/attest/verify ",
    "https:/attest/verify",
  ])
  func `other routes do not fit`(_ route: String) throws {
    #expect(try !fits("/attest/verify", route))
  }

  @Test(arguments: [
    ("/", "/", true), ("/", "", true), ("/", "https://h", true), ("/", "/x", false),
    ("/*", "/x", true), ("/*", "/", false), ("/*", "/x/y", false),
    ("/v1/*/notes", "/v1/7/notes", true),
    ("/v1/*/notes", "/v1/notes", false), ("/v1/*/notes", "/v1/7/8/notes", false),
    ("/**", "/", true), ("/**", "/a/b/c", true), ("/a/**", "/a", true), ("/a/**", "/a/b/c", true),
    ("/a/**", "/b", false), ("/**/z", "/z", true), ("/**/z", "/a/z/b/Z/", true),
    ("/**/z", "/a/z/b", false), ("/a/**/m/*/z", "/a/m/m/1/z", true),
    ("/a/**/m/*/z", "/a/b/m/z", false), ("/**/**", "/x", true), ("/**/b/**/d", "/a/b/c/b/d", true),
    ("/**/b/**/d", "/a/d/b/c", false), ("/é", "/%C3%A9", true), ("/a*", "/a*", nil),
    ("/x?y", "", nil), ("/x#y", "", nil), ("x", "", nil), ("", "", nil), ("/***", "/a", nil),
    ("/a%2Fb", "/a%2fb", true), ("/a%2Fb", "/a/b", false), ("/%2A", "/*", nil),
    ("/a/%2a%2A", "/a", nil),
  ])
  func `stars stand for segments`(_ pattern: String, _ route: String, _ isFit: Bool?) throws {
    if let isFit {
      #expect(try fits(pattern, route) == isFit)
    } else {
      #expect(throws: RoutePattern.Problem.self) { try RoutePattern(parsing: pattern) }
    }
  }

  @Test func `a hostile route takes no long time`() throws {
    let route = String(repeating: "/a", count: 200_000)
    #expect(try !fits("/**/a/a/a/a/b", route))
    #expect(try !fits("/**/a/**/a/**/a/**/b", route))
    #expect(try !fits("/b", String(repeating: "/", count: 1_000_000)))
  }

  @Test func `a rule fits a route however it is spelt`() throws {
    let rule = SchemaRule(
      name: "a", conditions: [.at("/p", .isPath(of: [try RoutePattern(parsing: "/attest/*")]))],
      kind: .fixed(.challenge), fields: [.time: at("/t"), .challenge: at("/c")])
    let reader = try SchemaReader(LogSchema(name: "test", rules: [rule]))
    for route in ["/attest/x", "//ATTEST/x?y", "\\/attest\\/\\u0078"] {
      #expect(reader("{\"t\":1,\"c\":\"c\",\"p\":\"\(route)\"}").outcome == "challenge")
    }
    for route in ["\"/attest\"", "null", "7", "true", "{}", "[\"/attest/x\"]", "\"\""] {
      #expect(reader("{\"t\":1,\"c\":\"c\",\"p\":\(route)}").outcome == "skipped")
    }
    #expect(reader("{\"t\":1,\"c\":\"c\"}").outcome == "skipped")
    #expect(
      reader("{\"t\":1,\"c\":\"c\",\"p\":\"/attest/x\",\"P\":1}").outcome == "ambiguousField")
  }
}
