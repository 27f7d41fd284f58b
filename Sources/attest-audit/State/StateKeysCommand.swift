import AppAttest
import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Basics
import Files

struct StateKeysCommand: StateUser {
  static let configuration = CommandConfiguration.named(
    "keys", "Print what is known about keys: CSV, one row for each key.",
    """
    Without a KEY, all keys are printed in the order of key_id. Standard error names keys that the \
    state does not know.
    """)

  @OptionGroup var argument: StateArgument

  @Argument(
    help: .of(
      "key", "Print only these keys: hex, base64 or base64url, or 8 hex digits or more of each."))
  var keys: [String] = []

  func run() throws {
    let names = try keys.map { try KeyName($0) }
    let state = try argument.openToRead()
    let wanted = try names.map { name in
      try name.key(in: argument.state) { try state.keys(in: $0.range, limit: 4) }
    }
    var text = KeptKeyColumns.all.headerRow
    func add(_ key: KeptKey) {
      text += KeptKeyColumns.all.csv(key)
      if text.utf8.count > 1 << 16 {
        Console.print(rows: text)
        text = ""
      }
    }
    for (keyID, name) in zip(wanted, keys) {
      let key = try state.key(keyID)
      if let key {
        add(key)
      } else {
        Console.note("notice: the state does not know the key \(name)")
      }
    }
    if wanted.isEmpty { try state.forEachKey { add($0) } }
    Console.print(rows: text)
  }
}

/// A remembered key as a row of a list of known keys.
struct KeptKeyRow {
  let key: KeptKey
  var deviceID: String?

  /// The values of ``KnownKeyRow/columns``, as `--keys` reads them.
  var listed: [String] {
    [
      Base64Text.text(key.keyID.bytes), Base64Text.text(key.publicKey), key.appID,
      key.environment?.name ?? "", Self.time(key.attestedAt),
      key.snapshot.counters.last.map { "\($0)" } ?? "", key.subjectText, deviceID ?? "",
      key.firstValid != nil && key.firstAttestation != nil ? "true" : "",
    ]
  }

  /// Returns the time in RFC 3339, or empty if there is no time, or none in the years of RFC 3339.
  static func time(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "" }
    let time = CivilTime(milliseconds: milliseconds)
    return (0...9999).contains(time.year) ? time.text : ""
  }
}

struct StateExportCommand: StateUser {
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case jsonl, csv
  }

  static let configuration = CommandConfiguration.named(
    "export", "Write the trusted keys as a list for --keys and state import.")

  @OptionGroup var argument: StateArgument

  @Option(help: "Write jsonl or csv.")
  var format = Form.jsonl

  @Option(help: .of("file", "Write or replace this file. (default: standard output)"))
  var out: String?

  func run() throws {
    let state = try argument.openToRead()
    guard let out = StandardOutput.file(out) else {
      return try write(state) { Console.print(rows: $0) }
    }
    do {
      let file = try ReplacingFile(path: out, mode: 0o600)
      try write(state) { try file.append(Array($0.utf8).span) }
      try file.putInPlace()
    } catch let error as AuditError where error.number != 0 {
      throw CommandError(.cannotWrite, error.told(error.action, out).context)
    }
  }

  private func write(_ state: StateDirectory, to output: (String) throws -> Void) throws {
    var text = format == .csv ? TextRow.csv(KnownKeyRow.columns, guarded: false) : ""
    try state.forEachKey { key in
      guard !key.publicKey.isEmpty else { return }
      let row = KeptKeyRow(key: key, deviceID: try state.deviceID(of: key.keyID))
      text +=
        format == .csv
        ? TextRow.csv(row.listed, guarded: false)
        : TextRow.json(Array(zip(KnownKeyRow.columns, row.listed)), bare: ["lastCounter"])
      guard text.utf8.count > 1 << 18 else { return }
      try output(text)
      text = ""
    }
    try output(text)
  }
}
