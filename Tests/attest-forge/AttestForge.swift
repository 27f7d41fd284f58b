import ArgumentParser
import FindingCodes
import LogForge

/// The program that makes synthetic logs with known truth and test vectors, and answers for synthetic devices. It is
/// never installed.
@main
struct AttestForge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attest-forge",
    abstract: "Make synthetic logs with known truth or test vectors, or answer for devices.",
    subcommands: [Logs.self, Devices.self, Vectors.self], defaultSubcommand: Logs.self)
}

/// Makes test vectors for verifiers.
struct Vectors: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make test vectors for verifiers of attestations and assertions.",
    discussion: """
      DIR receives one JSON file of attestations, one of assertions, and a README. The same seed gives \
      the same bytes.
      """)

  @Option(name: .long, help: "The folder to write; made if missing.")
  var out: String

  @Option(name: .long, help: "The seed from which everything follows.")
  var seed: UInt64 = 1

  func run() throws {
    for file in try TestVectors(seed: seed).write(to: out) where file.count > 0 {
      print("\(file.count) vectors in \(out)/\(file.name)")
    }
  }
}

/// Makes logs.
struct Logs: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Make synthetic logs with known truth, to try an audit on. Used if no command is named.",
    discussion: """
      Everything forged is synthetic: devices, apps and requests are made up and signed by a \
      synthetic authority of its own, which no audit trusts unless told to. DIR receives logs/, \
      anchors/, pipeline.yaml to audit them, and truth.jsonl with one row for each expected \
      finding; the sources in it are relative to DIR. The same options give the same bytes.

      With --schema the logs have the form of one system, and the pipeline file names its schema. \
      Attacks that do not show in such logs are left out of "all" and of families. No log shows \
      stream.missing: only its own name asks for it.
      """)

  @Option(name: .long, help: "The folder to write; made if missing.")
  var out: String

  @Option(name: .long, help: "Honest devices with one key each.")
  var keys = 100

  @Option(name: .long, help: "Assertions of the honest devices together.")
  var assertions = 10_000

  @Option(name: .long, help: "Log files; those that attacks damage come on top.")
  var files = 6

  @Option(name: .long, help: "The seed from which everything follows.")
  var seed: UInt64 = 1

  @Option(
    name: .long,
    help: """
      What attackers do: all, none, or codes and families of codes, separated by commas; a minus \
      sign in front leaves them out.
      """)
  var attacks = "none"

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The system whose logs are made: \(Self.schemas).", valueName: "name"))
  var schema: String?

  private static let schemas = ForgedSchema.allCases.map(\.rawValue).joined(separator: ", ")

  @Flag(name: .long, help: "No attacks: an audit must find nothing.")
  var clean = false

  @Flag(name: .long, help: "A few keys have most of the assertions.")
  var zipf = false

  @Flag(name: .long, help: "Log every challenge when it is issued.")
  var challengeRecords = false

  @Option(name: .long, help: "Days of traffic; attacks are played on the first one.")
  var days = 1

  @Flag(
    name: .long,
    help: "One key is in two devices from the second night on, and three requests are replayed.")
  var incident = false

  @Flag(name: .long, help: "Break base64 into lines, as mail does (RFC 2045).")
  var lineBreaks = false

  /// Throws for flags that exclude each other.
  func validate() throws {
    guard !clean || !incident else {
      throw ValidationError("--clean and --incident exclude each other")
    }
    guard !clean || attacks == "none" else {
      throw ValidationError("--clean and --attacks \(attacks) exclude each other")
    }
  }

  private func forgedSchema() throws(ForgeError) -> ForgedSchema? {
    guard let schema else { return nil }
    guard let known = ForgedSchema(rawValue: schema) else {
      throw ForgeError(.usage, "--schema \(schema): no such schema; there are \(Self.schemas)")
    }
    return known
  }

  func run() throws {
    do throws(ForgeError) {
      let schema = try forgedSchema()
      var options = ForgeOptions(
        keys: keys, assertions: assertions, files: files, seed: seed,
        attacks: try FindingCode.parse(attacks, schema: schema ?? .default))
      options.schema = schema
      options.zipf = zipf
      options.challengeRecords = challengeRecords
      options.lineBreaks = lineBreaks
      options.days = days
      options.incident = incident
      let summary = try LogForge(options).write(to: out)
      print(
        """
        forged \(summary.lines) log lines in \(out)/logs with \(summary.findings) expected findings
        all of it is synthetic, signed by a synthetic authority only
        audit it: attest-audit audit --pipeline \(out)/pipeline.yaml --out REPORTS
        """)
    } catch {
      throw error.code == .usage ? ValidationError(error.description) : error as any Error
    }
  }
}
