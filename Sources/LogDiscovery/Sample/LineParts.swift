import AuditLog

/// Lines that a container runtime cut into parts. Each begins with a time, a stream, and `P` for a
/// part that another follows, as in Kubernetes' log format (CRI).
package struct LineParts {
  /// The first file with such lines.
  package let source: String
  /// The number of lines that others follow.
  package internal(set) var count = 0

  /// A command for a shell that joins the parts of each stream.
  package var command: String {
    "awk '{s=$2; t=$3; h=$1; sub(/^[^ ]+ [^ ]+ [^ ]+ /, \"\"); b[s]=b[s] $0; "
      + "if (t!=\"P\") {print h, s, \"F\", b[s]; b[s]=\"\"}}' " + ShellText.quoted(source)
  }

  /// Returns whether a line is a part that another follows.
  static func isPart(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.prefix(64).split(
      separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
    return words.count == 4 && words[0].first.map { (0x30...0x39).contains($0) } ?? false
      && (words[1].elementsEqual("stdout".utf8) || words[1].elementsEqual("stderr".utf8))
      && words[2].elementsEqual("P".utf8)
  }
}
