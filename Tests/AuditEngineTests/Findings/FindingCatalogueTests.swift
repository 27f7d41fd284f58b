import Testing

@testable import AuditEngine

struct FindingCatalogueTests {
  @Test func `every code has its own section on the page, at its place, and a row of the table`() {
    let page = String(decoding: FindingCatalogue.page, as: UTF8.self)
    for entry in FindingCatalogue.entries {
      #expect(entry.name.filter(\.isLetter) == "\(entry.code)".lowercased())
      #expect(page.contains("| `\(entry.name)` | \(entry.severity.name) | \(entry.title) |\n"))
      #expect(page.contains("\n<a id=\"\(entry.name)\"></a>\n\n### \(entry.name)\n"))
      #expect(entry.severities.hasPrefix(entry.severity.name))
      let follows = entry.severities.contains("critical if") || entry.severities.contains("low if")
      #expect(entry.severity <= .low || follows == entry.code.followsDecision)
      #expect(entry.severities.contains("has a token") == entry.code.hidesAcceptedRequest)
    }
  }

  @Test func `names ascend, so that raw values sort as they do`() {
    let names = FindingCatalogue.entries.map { Array($0.name.utf8) }
    for (left, right) in zip(names, names.dropFirst()) {
      #expect(left.lexicographicallyPrecedes(right))
    }
  }

  @Test func `a name is a family and a word`() {
    for entry in FindingCatalogue.entries {
      let parts = entry.name.split(separator: ".", omittingEmptySubsequences: false)
      #expect(parts.count == 2)
      for part in parts {
        #expect(!part.isEmpty && part.allSatisfy { $0 == "_" || ("a"..."z").contains($0) })
      }
      #expect(FindingCode(name: entry.name) == entry.code)
    }
    for name in ["", "key", "key.", "Key.unknown", "key.unknown ", "key_unknown"] {
      #expect(FindingCode(name: name) == nil)
    }
    #expect(FindingCode.allCases.count < 64, "a set of codes has 64 bits")
  }

  @Test func `every entry explains itself in whole sentences`() {
    for entry in FindingCatalogue.entries {
      #expect(!entry.title.isEmpty && !entry.title.hasSuffix("."))
      for text in [entry.meaning, entry.abuse, entry.harmless, entry.remedy] {
        #expect(text.hasSuffix("."), "\(entry.name): \(text)")
        #expect(!text.contains("  "), "\(entry.name): \(text)")
      }
    }
  }

  @Test func `titles tell codes apart`() {
    #expect(Set(FindingCatalogue.entries.map(\.title)).count == FindingCode.allCases.count)
  }
}
