import Foundation
import TestSupport
import Testing

/// The scripts of sessions in `Tests/Scripts`. `SessionScript` has their form.
///
/// Each runs in a fresh folder, in which `testdata` is a link to that of the checkout. The program is on
/// `PATH`. `$SHARED` is the folder `shared` beside the checkout. In the output the paths of these two folders
/// are `$WORK` and `$SHARED`.
struct SessionScriptTests {
  /// A script's name.
  struct Name: CustomTestStringConvertible, Sendable {
    var file: String
    var title: String
    var testDescription: String { "\(file): \(title)" }
  }

  private static let folder = "\(Repository.root)/Tests/Scripts"

  /// Sessions run beside the other tests, of which there are as many at a time: both often wait for a process.
  private static let sessions = {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
    // Threads of its own, and not those of the other tests.
    queue.qualityOfService = .userInitiated
    return queue
  }()

  private static let hasShared = FileManager.default.fileExists(atPath: Repository.shared.path)

  private static func read(_ file: String) throws -> SessionScript {
    try SessionScript(String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8))
  }

  /// The scripts that need the folder `shared`, or those that do not. A file that is no script is one of the latter.
  private static func names(needShared: Bool) -> [Name] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".txt") }.sorted().compactMap { file in
      let script = try? read(file)
      guard (script?.needsShared ?? false) == needShared else { return nil }
      return Name(file: file, title: script?.title ?? "not a script")
    }
  }

  @Test(arguments: names(needShared: false))
  func `a session prints what its script shows`(_ name: Name) async throws {
    try await Self.expectSession(name)
  }

  @Test(
    .enabled(if: hasShared, "the folder 'shared' is not beside the checkout"),
    arguments: names(needShared: true))
  func `a session with the shared folder prints what its script shows`(_ name: Name) async throws {
    try await Self.expectSession(name)
  }

  private static func expectSession(_ name: Name) async throws {
    let script = try read(name.file)
    let results = try await withCheckedThrowingContinuation { continuation in
      sessions.addOperation { continuation.resume(with: Result { try run(script) }) }
    }
    for (index, step) in script.steps.enumerated() {
      guard index < results.count else {
        Issue.record(
          "Tests/Scripts/\(name.file):\(step.number): the shell ended before: $ \(step.command)")
        return
      }
      let lines = results[index].output
      let wide = isForPeople(step.command + " ") ? lines.filter { !isNarrow($0) } : []
      #expect(wide == [], "wider than 80 columns: \(name.file):\(step.number)")
      let comparison = LineComparison(expected: step.output, actual: lines)
      let difference = comparison.difference.joined(separator: "\n")
      #expect(
        comparison.isEqual && results[index].status == step.status,
        """
        Tests/Scripts/\(name.file):\(step.number): $ \(step.command)
        \(difference)
        status \(results[index].status), expected \(step.status)
        """)
    }
  }

  /// Whether a command is one run of the program that prints text for people alone.
  private static func isForPeople(_ command: String) -> Bool {
    guard command.hasPrefix("attest-audit "), !command.contains(/[|;&>]/),
      !command.contains(#/ (--json|--format|--out -|--generate-\S+|settings) /#)
    else { return false }
    return command.contains(#/ --(help|out) /#)
      || !command.contains(/^attest-audit (state [bek]|init )/)
  }

  /// Returns whether a line has at most 80 columns, or no space at which it could be broken. It could be broken
  /// at a space behind the last column of words that begins in its left half. A command to copy is not broken.
  private static func isNarrow(_ line: String) -> Bool {
    guard line.count > 80 else { return true }
    let words = line.drop { $0 == " " }
    let isCommand = words.prefixMatch(
      of:
        #/(attest-audit|awk|base64|brotli|chmod|duckdb|gzip|iconv|jq|mkdir|python3|sed|while|zstd) /#
    )
    if isCommand != nil { return true }
    let left = line.prefix(41)
    let column =
      words.startIndex < left.endIndex
      ? left[words.startIndex...].ranges(of: #/  +(?=[^ ])/#).last?.upperBound ?? words.startIndex
      : words.startIndex
    return !line[column...].prefix(81 - line.distance(from: line.startIndex, to: column))
      .contains(" ")
  }

  /// Runs the commands. Returns the lines that each printed, and its exit status.
  private static func run(_ script: SessionScript) throws -> [(output: [String], status: Int)] {
    let (work, tools) = (try Scratch(), try Scratch())
    try work.link("testdata", to: "\(Repository.root)/testdata")
    // After each command: a control character, its status, and the end of a line.
    let commands = script.steps.map { step in
      "eval '\(step.command.replacing("'", with: #"'\''"#))'\nprintf '\\036%d\\n' $?\n"
    }
    let session = try tools.write("session", commands.joined())
    let programs = URL(filePath: Program.path).deletingLastPathComponent().path
    let outcome = try Program.run(
      [session], in: work.path,
      environment: [
        "PATH": "\(programs):/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1", "TZ": "UTC", "SHARED": Repository.shared.path,
      ], shell: "exec bash \"$2\" 2>&1 < /dev/null")
    let text = outcome.output.replacing(work.path, with: "$WORK")
      .replacing(Repository.shared.path, with: "$SHARED")
    var results: [(output: [String], status: Int)] = []
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let parts = line.split(separator: "\u{1E}", omittingEmptySubsequences: false)
      guard parts.count == 2, let status = Int(parts[1]) else {
        lines.append(String(line))
        continue
      }
      if !parts[0].isEmpty { lines.append(String(parts[0])) }
      SessionScript.removeBlanks(&lines)
      results.append((lines, status))
      lines = []
    }
    return results
  }

  // MARK: The form

  @Test(
    arguments: [
      (String(repeating: "a ", count: 40) + "a", false),
      ("  name  " + String(repeating: "a", count: 90), true),
      ("  name  a " + String(repeating: "a", count: 90), false),
      ("attest-audit: error: a " + String(repeating: "a", count: 90), false),
      ("  jq -c . " + String(repeating: "a", count: 90), true),
      (String(repeating: " ", count: 50) + String(repeating: "a", count: 40), true),
    ])
  func `a long line is allowed only if it cannot be broken`(_ line: String, _ isAllowed: Bool) {
    #expect(Self.isNarrow(line) == isAllowed)
  }

  @Test func `a script has a title, commands that continue, their output, and a status`() throws {
    let script = try SessionScript(
      """
      # a title
      # a remark
      needs shared

      $ cat \\
        - <<end
      > text
      > end
      # output

      more

      # a remark
      $ false
      ? 1

      """)
    #expect(script.title == "a title" && script.needsShared)
    #expect(script.steps.map(\.number) == [5, 14])
    #expect(script.steps.map(\.command) == ["cat \\\n  - <<end\ntext\nend", "false"])
    #expect(script.steps.map(\.output) == [["# output", "", "more"], []])
    #expect(script.steps.map(\.status) == [0, 1])
  }

  @Test(arguments: ["", "# a title\n", "$ true\n", "# a title\ntrue\n$ true\n"])
  func `a text without title or command is not a script`(_ text: String) {
    #expect(throws: SessionScript.Mistake.self) { try SessionScript(text) }
  }

  @Test(
    arguments: [
      ("a b", "a b", nil), ("…", "", nil), ("… c", "a b c", nil), ("a … c …", "a c", nil),
      ("a b", "a c", "  a|- b|+ c"), ("a … c", "a b d", "  a|  …|- c"), ("", "a", "+ a"),
      ("a", "", "- a"),
    ] as [(String, String, String?)])
  func `lines are compared, and a gap matches any number of them`(
    _ expected: String, _ actual: String, _ difference: String?
  ) {
    let comparison = LineComparison(
      expected: expected.split(separator: " ").map(String.init),
      actual: actual.split(separator: " ").map(String.init))
    #expect(comparison.isEqual == (difference == nil))
    if let difference { #expect(comparison.difference.joined(separator: "|") == difference) }
  }
}
