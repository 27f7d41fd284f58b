/// The form of a flag on the command line: `--overwrite`, `--out <folder>`, or `--app-id <id>...`,
/// which may be repeated.
package struct FlagForm: Sendable, Equatable, ExpressibleByStringLiteral {
  /// The flag with its dashes.
  package let name: String
  /// The word that stands for the value, or nil for a switch.
  package let valueName: String?
  package let isRepeatable: Bool

  package init(stringLiteral text: String) {
    let words = text.split(separator: " ", maxSplits: 1)
    name = String(words.first ?? "")
    isRepeatable = text.hasSuffix("...")
    valueName = words.count < 2 ? nil : String(words[1].trimming { "<>.".contains($0) })
  }
}

extension Substring {
  /// Returns the text without the characters at both ends that `isDropped` names.
  fileprivate func trimming(_ isDropped: (Character) -> Bool) -> Substring {
    var rest = drop(while: isDropped)
    while let last = rest.last, isDropped(last) { rest.removeLast() }
    return rest
  }
}
