import Testing

@testable import LogDiscovery

@Suite struct `Parts of lines` {
  /// A sample of lines with something in front, each of which holds a token.
  private static func command(_ prefixes: [String]) -> String? {
    var sample = LogSample(of: prefixes.map { _ in #"{"a":1}"# })
    sample.sources = ["it's"]
    for (index, prefix) in prefixes.enumerated() {
      let line = sample.lines[index]
      sample.lines[index] = SampleLine(
        source: 0, number: line.number, bytes: Array(prefix.utf8) + line.bytes,
        start: prefix.utf8.count, values: line.values, hasDuplicates: false)
    }
    return PrefixTime(sample, tokenLines: Set(prefixes.indices))?.command
  }

  @Test func `a time in front of the JSON is moved into it`() throws {
    let command = try #require(
      Self.command(["2026-03-01T00:00:00Z gw: ", "x 2026-03-01 00:00:00 - "]))
    #expect(command.hasPrefix("sed -E '") && command.hasSuffix(" 'it'\\''s'"))
    for prefix in ["", "gw: ", "2026-03-01 gw ", "20260301T000000Z ", "2026-03-01T00"] {
      #expect(Self.command([prefix]) == nil, "\(prefix)")
    }
    #expect(Self.command([]) == nil)
  }
}
