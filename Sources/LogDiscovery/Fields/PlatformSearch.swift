/// A search for the words by which a log distinguishes platforms and formats.
enum PlatformSearch {
  /// The share of the lines with tokens on which a word must occur.
  private static let leastShare = 0.5

  /// Returns the fields `platform` and `format` of lines with tokens, as far as they are present.
  static func find(_ lines: [SampleLine]) -> [FoundField] {
    [("platform", "ios"), ("format", "apple-app-attest")].compactMap { name, word in
      var counts: [Int: Int] = [:]
      for line in lines {
        for value in line.values
        where value.kind == .string && value.text.count == word.utf8.count
          && value.string.lowercased() == word
        {
          counts[value.pointer, default: 0] += 1
        }
      }
      guard let (pointer, count) = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
        Double(count) >= Double(lines.count) * leastShare
      else { return nil }
      return FoundField(
        name: name, form: .pointers([pointer]), what: "'\(word)' on lines with tokens",
        sureness: .likely, lines: count, of: lines.count)
    }
  }
}
