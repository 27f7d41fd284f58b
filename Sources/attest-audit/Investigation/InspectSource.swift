import AuditEngine
import AuditLog
import AuditSettings
import Files
import Foundation
import Investigation

/// The source that `inspect` was given: bytes, as a line of a log or as a token.
enum InspectSource {
  case line(FoundLine)
  /// A text that is one line of JSON.
  case text([UInt8])
  /// A token or receipt, decoded.
  case token([UInt8])

  /// The size of the largest input, in bytes.
  private static let limit = 64 << 20

  /// Determines the source of a text on the command line: `FILE:LINE`, `-`, a file, base64 or hex.
  ///
  /// - Parameters:
  ///   - places: The inputs of a report, of which a line's file is to be one, or nil for any file.
  ///   - followsLinks: Whether a symbolic link at the path is followed.
  init(
    _ argument: String, _ settings: JudgingSettings, places: InputPlaces? = nil,
    followsLinks: Bool = false
  ) throws(CommandError) {
    if argument == "-" {
      self = try Self.content(Self.read("-"), name: "standard input")
    } else if let (path, line) = Self.place(argument, places) {
      try Self.requireFile(path, followsLinks)
      guard places?.isInput(path) != false else {
        throw CommandError(
          .usage, "\(path) is not the input of the report any more: its SHA-256 is another one",
          hint: "leave out --report to inspect the line with other settings")
      }
      let read = InputReader(settings).read(path, as: path, lines: [line])
      guard let found = read.lines[line] else {
        let why = read.damage.last.map { ": \($0.detail)" } ?? ""
        throw CommandError(.usage, "\(path) has no line \(line)\(why)")
      }
      self = .line(found)
    } else if FileStatus(path: argument, followsLinks: false) != nil {
      try Self.requireFile(argument, followsLinks)
      self = try Self.content(Self.read(argument), name: argument)
    } else if let bytes = Self.decoded(argument) {
      self = .token(bytes)
    } else {
      throw CommandError(
        .usage, "'\(argument)' is not a file, base64 or hex",
        hint: "name FILE:LINE, a file with a token, the token itself, or - for standard input")
    }
  }

  /// Throws if there is anything but a regular file at a path. A link is followed only if
  /// `followsLinks`.
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

  /// Returns the parts of `FILE:LINE`, or nil if there is no such file. An input of a report that was
  /// renamed or compressed is found by its content.
  private static func place(
    _ argument: String, _ places: InputPlaces?
  ) -> (path: String, line: UInt64)? {
    guard let colon = argument.lastIndex(of: ":"),
      let line = UInt64(argument[argument.index(after: colon)...]), line > 0
    else { return nil }
    let path = String(argument[..<colon])
    if let place = places?.place(of: path), place.isMoved { return (place.path, line) }
    return FileStatus(path: path, followsLinks: false) != nil ? (path, line) : nil
  }

  /// Determines the source of a whole file or standard input.
  private static func content(
    _ bytes: [UInt8], name: String
  ) throws(CommandError) -> InspectSource {
    let text = bytes.drop { $0 <= 0x20 }
    guard let first = text.first else { throw CommandError(.usage, "\(name) is empty") }
    guard let characters = String(validating: bytes, as: UTF8.self) else { return .token(bytes) }
    if let token = decoded(characters) { return .token(token) }
    if text.contains(UInt8(ascii: "{")) {
      let lines = text.split(separator: 0x0A, omittingEmptySubsequences: true)
        .filter { line in line.contains { $0 > 0x20 } }
      guard lines.count == 1, let line = lines.first else {
        throw CommandError(
          .usage, "\(name) has \(lines.count) lines", hint: "name one of them: \(name):1")
      }
      return .text(Array(line.last == 0x0D ? line.dropLast() : line))
    }
    // A DER structure or CBOR map may by chance be valid UTF-8.
    if first == 0x30 || first >= 0x80 { return .token(bytes) }
    throw CommandError(
      .usage, "\(name) contains neither a log line nor a token",
      hint: "write a token as CBOR, base64 or hex")
  }

  /// Returns the bytes of base64 or hex, which may be broken into lines, or nil if the text is
  /// neither.
  private static func decoded(_ text: String) -> [UInt8]? {
    let digits = text.filter { !$0.isWhitespace }
    guard !digits.isEmpty else { return nil }
    if let bytes = KeyTexts.hex(digits) { return bytes }
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return KeyTexts.base64(trimmed) ?? KeyTexts.base64(digits)
  }
}
