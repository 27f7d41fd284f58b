/// A code's section of the page `Findings.md`, from which names, severities and explanations are read.
package struct FindingEntry: Sendable {
  package let code: FindingCode

  /// The public code, `family.word`.
  package let name: String

  /// A few words for people, without a full stop: `signed request used twice`.
  package let title: String

  package let severity: Severity

  /// The severity in words, with those that depend on the server's decision.
  package let severities: String

  package let meaning: String

  package let abuse: String

  package let harmless: String

  package let remedy: String

  /// The explanation, part by part, each with its heading.
  package var parts: [(heading: String, text: String)] {
    [("means", meaning), ("abuse", abuse), ("harmless", harmless), ("what to do", remedy)]
  }

  /// The address of the explanation in the documentation. It never changes.
  package var address: String { "Findings.md#\(name)" }

  /// The part of the name before the point.
  package var family: Substring { name.prefix { $0 != "." } }

  /// Makes the entry of a section's texts, in the order of the page.
  fileprivate init(_ code: FindingCode, _ texts: [String]) {
    precondition(texts.count == 7, "a section of Findings.md has seven texts")
    self.code = code
    (name, title, severities) = (texts[0], texts[1], texts[2])
    (meaning, abuse, harmless, remedy) = (texts[3], texts[4], texts[5], texts[6])
    severity = Severity(name: severities.prefix { $0.isLetter }.description) ?? .critical
  }
}

/// The catalogue of finding codes: one entry for each, in the order of ``FindingCode``.
package enum FindingCatalogue {
  package static let page = PackageResources.Findings_md

  /// All entries. The index of each is the raw value of its code.
  package static let entries: [FindingEntry] = {
    let sections = Self.sections()
    precondition(sections.count == FindingCode.allCases.count, "each code has a section")
    return zip(FindingCode.allCases, sections).map { FindingEntry($0, $1) }
  }()

  /// Returns the texts of each section: heading, title, and what follows the bold words.
  private static func sections() -> [[String]] {
    var sections: [[String]] = []
    for line in page.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "### ".utf8) {
        sections.append([text(line.dropFirst(4))])
      } else if line.starts(with: "- **".utf8), let end = line.firstIndex(of: UInt8(ascii: ":")) {
        sections[sections.count - 1].append(text(line[(end + 4)...]))
      } else if line.first == UInt8(ascii: "*") {
        sections[sections.count - 1].append(text(line.dropFirst().dropLast()))
      }
    }
    return sections
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}

extension FindingCode {
  /// Returns the codes of a name: that of a code or of a family.
  package static func named(_ name: String) -> [FindingCode] {
    allCases.filter { $0.name == name || $0.entry.family == name }
  }

  package var entry: FindingEntry { FindingCatalogue.entries[Int(rawValue)] }

  package var name: String { entry.name }

  package var defaultSeverity: Severity { entry.severity }

  package init?(name: String) {
    guard let match = FindingCatalogue.entries.first(where: { $0.name == name }) else { return nil }
    self = match.code
  }
}
