/// A session of commands as text: what is typed, and what is printed.
///
///     # an existing folder is no report folder (reports.R1)
///     needs shared
///
///     $ attest-audit audit logs \
///         --out report
///     attest-audit: error: report exists already
///     …
///     ? 73
///
/// - Lines that start with `#`: the title, then remarks. Between two commands, remarks follow a blank line.
/// - `needs shared`: the script is skipped without the folder `shared` beside the checkout.
/// - `$`: a command for bash. It continues after a backslash, and on lines that start with `>`.
/// - Then the output, standard output and standard error together. `…` stands for any number of lines.
/// - `? 2`: the exit status, if it is not 0.
///
/// Blank lines at the end of the output are not compared. All commands run in one shell.
struct SessionScript: Equatable {
  /// A command, with what it is expected to print.
  struct Step: Equatable {
    /// The number of the line with `$`.
    var number: Int
    var command: String
    var output: [String] = []
    var status = 0
  }

  /// A line that does not belong to a script.
  struct Mistake: Error, Equatable, CustomStringConvertible {
    var number: Int
    var description: String
  }

  private(set) var title = ""
  private(set) var needsShared = false
  private(set) var steps: [Step] = []

  init(_ text: String) throws(Mistake) {
    var continues = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("$ ") {
        steps.append(Step(number: index + 1, command: String(line.dropFirst(2))))
      } else if let last = steps.indices.last {
        let isInput = steps[last].output.isEmpty && line.hasPrefix(">")
        if continues || isInput {
          steps[last].command +=
            "\n" + (isInput ? line.dropFirst(line.hasPrefix("> ") ? 2 : 1) : line)
        } else {
          steps[last].output.append(String(line))
        }
      } else if line.hasPrefix("#") {
        if title.isEmpty { title = line.drop { "# ".contains($0) }.description }
      } else if line == "needs shared" {
        needsShared = true
      } else if !line.isEmpty {
        throw Mistake(number: index + 1, description: "neither a remark nor a command: \(line)")
      }
      continues = line.hasSuffix("\\") && steps.last?.output.isEmpty == true
    }
    guard !title.isEmpty, !steps.isEmpty else {
      throw Mistake(number: 1, description: "a script needs a title and a command")
    }
    for index in steps.indices {
      Self.removeRemarks(&steps[index].output)
      if let status = steps[index].output.last?.wholeMatch(of: /\? (\d+)/) {
        steps[index].status = Int(status.1) ?? 0
        steps[index].output.removeLast()
      }
      Self.removeBlanks(&steps[index].output)
    }
  }

  /// Removes blank lines at the end.
  static func removeBlanks(_ lines: inout [String]) {
    while lines.last?.isEmpty == true { lines.removeLast() }
  }

  /// Removes the paragraphs at the end that have only remarks: they are about the next command.
  private static func removeRemarks(_ lines: inout [String]) {
    removeBlanks(&lines)
    while let blank = lines.lastIndex(of: ""),
      lines[(blank + 1)...].allSatisfy({ $0.hasPrefix("#") })
    {
      lines.removeSubrange(blank...)
      removeBlanks(&lines)
    }
  }
}
