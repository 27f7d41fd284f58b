import AppAttest
import ArgumentParser
import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import Basics
import Files
import Foundation
import Investigation

struct InspectCommand: StatusCommand {
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case attestation, assertion, receipt
  }

  static let configuration = CommandConfiguration.named(
    "inspect", "Show every check of one attestation, assertion, receipt or log line.",
    """
    WHAT is FILE:LINE of a log, a file with a token or a line, base64, hex, or - for standard \
    input. A check that cannot be made is shown as not checked, with the value that is missing. \
    The key of an assertion is found in its log, in --logs, in the inputs of --report, or in the \
    state that --report or --pipeline names. \
    Exit status: 0 no check failed, 1 at least one failed, 64 bad usage.

    Examples:
      A line that a report names, with the report's settings:
        attest-audit inspect logs/edge.jsonl.zst:184 --report report
      A token, with the key and the challenge of its request:
        attest-audit inspect token.b64 --key-id KEY --challenge TEXT --app-id APP
    """)

  @Argument(help: .of("what", "Inspect FILE:LINE, a file, base64, hex, or -."))
  var what: String

  @Option(help: "Use the settings of this report.")
  var report: String?

  @Option(help: "Use the settings of this pipeline file.")
  var pipeline: String?

  @Option(
    help: .of("name|path", "Read a log line by this schema."),
    completion: .list(ShippedSchemas.names))
  var schema: String?

  @OptionGroup(title: TrustTopic.title) private var trust: TopicFlags<TrustTopic>

  @Option(help: .of("path", "Look for the attestation of the key in these logs; repeatable."))
  var logs: [String] = []

  @Option(help: "Name the kind of the token. (default: recognised by its bytes)")
  var kind: Kind?

  @Option(help: .of("id", "Name the key identifier in base64 or hex."))
  var keyID: String?

  @Option(help: "Verify an assertion with this public key: X9.62 point or SPKI, base64 or hex.")
  var publicKey: String?

  @Option(help: "Use this text as client data: a challenge or payload.")
  var challenge: String?

  @Option(help: "Read the client data from this file.")
  var clientData: String?

  @Option(help: .of("hash", "Use this clientDataHash, in hex or base64."))
  var clientDataHash: String?

  @Option(help: "Check certificates at this time: RFC 3339.")
  var time: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Follow a symbolic link at the path of FILE.")
  var follow = false

  @Option(help: .of("when", "Print in colours: auto, always or never."))
  var color: String = "auto"

  func status() throws -> ExitStatus {
    let hasColors = try ColorFlag.isOn(color)
    let (settings, places, stateKey) = try judgingSettings()
    var inspector = try Inspector(settings)
    let search = KeySearch(logs, places, stateKey: stateKey)
    let inspections: [Inspection]
    switch try InspectSource(what, settings, places: places, followsLinks: follow) {
    case .line(let line):
      try refuseTokenFlags()
      search.complete(&inspector, line: line.state == .whole ? line.bytes : [], of: line.source)
      inspections = inspector.inspect(line: line)
    case .text(let line):
      try refuseTokenFlags()
      search.complete(&inspector, line: line)
      inspections = inspector.inspect(line: line)
    case .token(let token):
      if let key = keyID.flatMap(KnownKeyRow.keyID) { search.complete(&inspector, key: key) }
      inspections = [try inspect(token, inspector)]
    }
    if json {
      for inspection in inspections { try Console.print(rows: JSONText.pretty(inspection)) }
    } else {
      var page = TextPage(hasColors: hasColors)
      InspectionText.write(inspections, to: &page)
      Console.print(page.text, hasColors: hasColors)
    }
    return inspections.allSatisfy(\.failures.isEmpty) ? .clean : .findings
  }

  /// Returns the settings to judge by, and from the report or pipeline the inputs and the keys of the state.
  private func judgingSettings() throws -> (
    AuditConfiguration, InputPlaces?, stateKey: @Sendable (Digest256) -> KnownKey?
  ) {
    if let report {
      try CommandError.require(
        pipeline == nil && schema == nil && trust.texts.isEmpty,
        "--report and other settings exclude each other",
        hint: "leave out the other settings: a report has all settings of its run")
      let explainer = try Explainer(
        StoredReport(path: report), logs: logs, keys: nil,
        environment: ProcessInfo.processInfo.environment)
      return (explainer.settings, explainer.places, ReportSource.stateKey(explainer.state))
    }
    var texts = trust.texts
    if let pipeline { texts["--pipeline"] = [pipeline] }
    if let schema { texts["--schema"] = [schema] }
    let source = try SettingsSource(TypedFlags(texts: texts))
    let settings = try source.resolve(source.flags.over(source.pipeline() ?? SettingsLayer()))
    return (settings.configuration, nil, ReportSource.stateKey(settings.state?.dir))
  }

  // MARK: Tokens

  private func refuseTokenFlags() throws(CommandError) {
    let given = [
      ("--kind", kind != nil), ("--key-id", keyID != nil), ("--public-key", publicKey != nil),
      ("--challenge", challenge != nil), ("--client-data", clientData != nil),
      ("--client-data-hash", clientDataHash != nil), ("--time", time != nil),
    ].first { $0.1 }
    guard let given else { return }
    throw CommandError(
      .usage, "\(given.0) goes with a token: a line contains it",
      hint: "leave it out, or name only the token of the line")
  }

  private func inspect(
    _ token: [UInt8], _ inspector: Inspector
  ) throws(CommandError) -> Inspection {
    let file = clientData.map { NamedPath(path: $0, origin: "--client-data") }
    let data = try file?.read(limit: InspectSource.limit, status: .usage)
    let record = try record(inspector, data)
    let given = given(data)
    switch kind ?? Self.kind(of: token) {
    case .attestation: return inspector.inspect(attestation: token, record, line: given)
    case .assertion: return inspector.inspect(assertion: token, record, line: given)
    case .receipt:
      return try inspector.inspect(receipt: token, at: record.time).orThrow(
        "the bytes are not a receipt: they are not CMS SignedData with fields")
    case nil:
      throw CommandError(
        .usage, "the bytes are neither an attestation nor an assertion nor a receipt",
        hint: "use --kind to see why; explain takes a fingerprint")
    }
  }

  /// Returns the texts beside the token as a line of a log, whose forms are tried.
  private func given(_ data: [UInt8]?) -> [UInt8] {
    let data = data.map { bytes in
      String(validating: bytes, as: UTF8.self) ?? Base64Text.text(bytes)
    }
    let members = [("challenge", challenge), ("clientData", data)].compactMap { name, text in
      text.map { JSONString.quoted(name) + [UInt8(ascii: ":")] + JSONString.quoted($0) }
    }
    return Array("{".utf8) + members.joined(separator: [UInt8(ascii: ",")]) + Array("}".utf8)
  }

  private static func kind(of token: [UInt8]) -> Kind? {
    if (try? AttestationObject.parse(token.span)) != nil { return .attestation }
    if (try? Assertion.parse(token.span)) != nil { return .assertion }
    if token.first == 0x30 { return .receipt }
    let text = String(decoding: token, as: UTF8.self)
    if text.contains("authenticatorData") { return .assertion }
    return text.contains("attStmt") || text.contains("authData") ? .attestation : nil
  }

  private func record(
    _ inspector: Inspector, _ data: [UInt8]?
  ) throws(CommandError) -> InspectedRecord {
    var record = InspectedRecord()
    if let keyID {
      let id = try KnownKeyRow.keyID(keyID).orThrow(
        "--key-id: '\(keyID)' is not 32 bytes in base64 or hex")
      record.keyIdentifier = id
      inspector.complete(&record, of: id)
    }
    if let publicKey {
      record.publicKey = try PublicKeyText.point(publicKey).orThrow(
        "--public-key: no key on P-256", hint: "write an X9.62 point or SPKI in base64 or hex")
    }
    if let challenge { record.clientDataHash = Digest256.sha256(Array(challenge.utf8).span).bytes }
    if let data { record.clientDataHash = Digest256.sha256(data.span).bytes }
    if let clientDataHash {
      record.clientDataHash = try (KeyTexts.hex(clientDataHash) ?? KeyTexts.base64(clientDataHash))
        .orThrow("--client-data-hash: neither hex nor base64")
    }
    if let time {
      record.time = try RFC3339.milliseconds(Array(time.utf8).span).orThrow(
        "--time: '\(time)' is not a time", hint: "write it like 2026-03-01T12:00:00Z")
    }
    return record
  }
}

enum ColorFlag {
  static func isOn(_ text: String) throws(CommandError) -> Bool {
    Console.hasColors(try SettingFormat<ColorChoice>.cases.value(text, of: "--color"))
  }
}

/// The source that `inspect` was given: bytes, as a line of a log or as a token.
enum InspectSource {
  case line(FoundLine)
  /// A text that is one line of JSON.
  case text([UInt8])
  /// A token or receipt, decoded.
  case token([UInt8])

  static let limit = 64 << 20

  /// Determines what a text is. Of a report, a line's file is to be one of the `places`.
  init(
    _ argument: String, _ settings: AuditConfiguration, places: InputPlaces? = nil,
    followsLinks: Bool = false
  ) throws(CommandError) {
    if argument == "-" {
      self = try Self.content(Self.read("-"), name: "standard input")
    } else if let (path, line) = Self.place(argument, places) {
      try Self.requireFile(path, followsLinks)
      try CommandError.require(
        places?.isInput(path) != false,
        "\(path) is not the input of the report any more: its SHA-256 is another one",
        hint: "leave out --report to inspect the line with other settings")
      let read = InputReader(settings).read(path, as: path, lines: [line])
      let why = read.damage.last.map { ": \($0.detail)" } ?? ""
      self = .line(try read.lines[line].orThrow("\(path) has no line \(line)\(why)"))
    } else if FileStatus(path: argument, followsLinks: false) != nil {
      try Self.requireFile(argument, followsLinks)
      self = try Self.content(Self.read(argument), name: argument)
    } else if let bytes = Self.decoded(argument) {
      self = .token(bytes)
    } else {
      if argument.hasSuffix(":0"), FileStatus(path: String(argument.dropLast(2))) != nil {
        throw CommandError(
          .usage, "a file has no line 0", hint: "name the first line \(argument.dropLast())1")
      }
      if let place = StoredReport.place(argument) {
        throw CommandError(
          .usage, "the file '\(place.file)' does not exist",
          hint: "--report REPORT --logs DIR finds an input of the report that was moved to DIR")
      }
      throw CommandError(
        .usage, "'\(argument)' is not a file, base64 or hex",
        hint: "name FILE:LINE, a file with a token, the token itself, or - for standard input")
    }
  }

  /// Throws if there is anything but a file at a path, or a link that is not followed.
  static func requireFile(_ path: String, _ followsLinks: Bool) throws(CommandError) {
    guard let kind = FileStatus(path: path, followsLinks: followsLinks)?.kind, kind != .file
    else { return }
    throw kind == .link
      ? CommandError(.usage, "\(path) is a symbolic link", hint: "use --follow to follow it")
      : CommandError(
        .usage, "\(path) is \(kind.name)", hint: "name a file, or - for standard input")
  }

  private static func read(_ path: String) throws(CommandError) -> [UInt8] {
    try NamedPath(path: path, origin: path).read(limit: limit, status: .usage)
  }

  /// Returns the parts of `FILE:LINE`, or nil. A report's input is found by its content, too.
  private static func place(
    _ argument: String, _ places: InputPlaces?
  ) -> (path: String, line: UInt64)? {
    guard let (path, line) = StoredReport.place(argument), line > 0 else { return nil }
    let isThere = FileStatus(path: path, followsLinks: false) != nil
    if isThere, places?.isInput(path) != false { return (path, line) }
    return places?.place(of: path).map { ($0.path, line) } ?? (isThere ? (path, line) : nil)
  }

  private static func content(
    _ bytes: [UInt8], name: String
  ) throws(CommandError) -> InspectSource {
    let text = bytes.drop { $0 <= 0x20 }
    let first = try text.first.orThrow("\(name) is empty")
    guard let characters = String(validating: bytes, as: UTF8.self) else { return .token(bytes) }
    if let token = decoded(characters) { return .token(token) }
    if text.contains(UInt8(ascii: "{")) {
      let lines = text.split(separator: 0x0A, omittingEmptySubsequences: true)
        .filter { line in line.contains { $0 > 0x20 } }
      let line = try (lines.count == 1 ? lines.first : nil).orThrow(
        "\(name) has \(lines.count) lines", hint: "name one of them: \(name):1")
      return .text(Array(line.last == 0x0D ? line.dropLast() : line))
    }
    // A DER structure or CBOR map may by chance be valid UTF-8.
    if first == 0x30 || first >= 0x80 { return .token(bytes) }
    throw CommandError(
      .usage, "\(name) contains neither a log line nor a token",
      hint: "write a token as CBOR, base64 or hex")
  }

  /// Returns the bytes of base64 or hex, perhaps broken into lines, or of a token as a log has it (`records.R34`,
  /// `records.R82`), or nil.
  private static func decoded(_ text: String) -> [UInt8]? {
    let digits = text.filter { !$0.isWhitespace }
    guard let first = digits.first else { return nil }
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let token = LogField.token.bytes(of: Array(trimmed.utf8)[...], isArray: "[{".contains(first))
    if let token, AppAttestSniffer.isAppAttestObject(token.span) { return token }
    if let bytes = KeyTexts.hex(digits) { return bytes }
    return KeyTexts.base64(trimmed) ?? KeyTexts.base64(digits)
  }
}
