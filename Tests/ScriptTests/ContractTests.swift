import Foundation
import TestSupport
import Testing

/// The rules of the contract, `shared/spec`. A test cites each by page and number, in its name or in a comment.
struct ContractTests {
  /// The rules that no test can state, each with the reason.
  private static let untested = [
    "verification.R35": "which of two sources is right",
    "detection.R7": "why neighbours are not compared",
    "facts.R1": "how the facts were measured",
    "facts.R10": "about other programs",
    "facts.R18": "about Apple's service, in which there is nothing to read",
    "facts.R29": "about the Secure Enclave: why counter.repeated is critical",
    "facts.R30": "about the Secure Enclave: why a lower counter is not a reinstall",
  ]

  private static let pages = Repository.shared.appending(path: "spec")

  /// Returns the rules that a text cites: `page.R1, R2 and R3`, or `page.R1 to R3`.
  private static func cited(_ text: String) -> Set<String> {
    let text = text.replacing("`", with: "").replacing(#/\n *///? /#, with: " ")
    let list =
      /\b(verification|detection|records|pipeline|reports|facts)\.R\d+(?:(?:, and |, | and | to )(?:\1\.)?R\d+)*/
    var rules: Set<String> = []
    for match in text.matches(of: list) {
      var last = 0
      for part in match.0.matches(of: /( to )?(?:\w+\.)?R(\d+)/) {
        guard let number = Int(part.2) else { continue }
        for rule in (part.1 == nil ? number : min(last, number))...number {
          rules.insert("\(match.1).R\(rule)")
        }
        last = number
      }
    }
    return rules
  }

  /// The rules that tests cite. The comments of the forge say what it writes, and are not tests. The tables of its
  /// vectors name rules of verification without the page.
  private static func citedByTests() throws -> Set<String> {
    let folder = Repository.folder.appending(path: "Tests").path
    var rules: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let isForge = path.hasPrefix("LogForge/")
      guard !path.hasSuffix("ContractTests.swift"), !isForge || path.hasSuffix(".txt"),
        let text = try? String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
      else { continue }
      rules.formUnion(
        cited(isForge ? text.replacing(/[ (+]R(\d+)/) { " verification.R\($0.1)" } : text))
    }
    return rules
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: pages.path),
      "the folder 'shared' is not beside the checkout"))
  func `every rule of the contract is cited by a test, and no test cites another rule`() throws {
    var rules: Set<String> = []
    for page in try FileManager.default.contentsOfDirectory(atPath: Self.pages.path) {
      let text = try String(contentsOf: Self.pages.appending(path: page), encoding: .utf8)
      rules.formUnion(text.matches(of: /<a id="(\w+\.R\d+)">/).map { String($0.1) })
    }
    #expect(rules.count > 300)
    let cited = try Self.citedByTests()
    #expect(rules.subtracting(cited).sorted() == Self.untested.keys.sorted())
    #expect(cited.subtracting(rules).sorted() == [])
  }
}
