import AuditEngine

/// The catalogue of finding codes in the form of a documentation page.
enum FindingsPage {
  /// The page in Markdown: a table of all codes, then a section for each family.
  static var markdown: String {
    ([introduction, table] + families.map(section)).joined(separator: "\n\n") + "\n"
  }

  private static let introduction = """
    # Findings

    Look up a code: what it means, how an attacker uses it, which harmless reasons it has, and what \
    to do.

    ## Overview

    The table shows the severity before the server's decision raises or lowers it. `attest-audit \
    explain CODE` prints the same explanations on a terminal. A pipeline file can set the severity of \
    each code under `severity:`. Such a severity is never raised or lowered.
    """

  private static var table: String {
    let rows = FindingCatalogue.entries.map { entry in
      "| `\(entry.name)` | \(entry.severity.name) | \(entry.title) |"
    }
    return "| code | severity | title |\n|---|---|---|\n" + rows.joined(separator: "\n")
  }

  /// The families in the order of the catalogue.
  private static var families: [Substring] {
    FindingCatalogue.entries.reduce(into: []) { families, entry in
      if families.last != entry.family { families.append(entry.family) }
    }
  }

  private static func section(of family: Substring) -> String {
    let entries = FindingCatalogue.entries.filter { $0.family == family }
    return (["## The family \(family)"] + entries.map(text)).joined(separator: "\n\n")
  }

  private static func text(of entry: FindingEntry) -> String {
    """
    <a id="\(entry.name)"></a>

    ### \(entry.name)

    *\(entry.title)*

    - **Severity:** \(CodeExplanation(entry: entry).severity)
    - **Means:** \(entry.meaning)
    - **Abuse:** \(entry.abuse)
    - **Harmless:** \(entry.harmless)
    - **What to do:** \(entry.remedy)
    """
  }
}
