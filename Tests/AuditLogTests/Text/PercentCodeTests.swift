import Testing

@testable import AuditLog

struct PercentCodeTests {
  @Test(arguments: [
    ("", ""), ("abc", "abc"), ("%41b%63", "Abc"), ("%2f%2F", "//"), ("%2541", "%41"),
    ("%C3%a9", "é"),
    // No two hex digits follow.
    ("%", "%"), ("%4", "%4"), ("a%4", "a%4"), ("%4g%g4", "%4g%g4"), ("%+5%-1", "%+5%-1"),
    ("%%41", "%A"), ("%:0%@a%`a%/0", "%:0%@a%`a%/0"),
  ])
  func `percent signs with two hex digits are decoded once`(_ text: String, _ plain: String) {
    #expect(PercentCode.decoded(Array(text.utf8).span) == Array(plain.utf8))
  }
}
