import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Files

/// `attest-audit state export`: the keys of a state as a list of known keys.
struct StateExportCommand: ParsableCommand {
  /// The form of a list.
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case jsonl, csv
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the trusted keys as a list for --keys and state import.")

  @OptionGroup var argument: StateArgument

  @Option(help: "Write jsonl or csv.")
  var format = Form.jsonl

  @Option(
    help: ArgumentHelp(
      "Write or replace this file. (default: standard output)",
      valueName: "file"))
  var out: String?

  func run() throws {
    let state = try argument.openToRead()
    guard let out = StandardOutput.file(out) else {
      return try write(state) { Console.print(rows: $0) }
    }
    let file = try told { () throws(FileError) in try ReplacingFile(path: out, mode: 0o600) }
    try write(state) { text throws(CommandError) in
      try told { () throws(FileError) in try file.append(Array(text.utf8).span) }
    }
    try told { () throws(FileError) in try file.putInPlace() }
  }

  private func told<Value>(
    _ body: () throws(FileError) -> Value
  ) throws(CommandError) -> Value {
    do throws(FileError) { return try body() } catch {
      throw CommandError(.cannotWrite, error.told(error.action, out ?? "").message)
    }
  }

  /// Writes the list in pieces.
  private func write(
    _ state: StateDirectory, to output: (String) throws(CommandError) -> Void
  ) throws(CommandError) {
    var text =
      format == .csv ? TextRow.csv(KeptKeyRow.listedColumns, guarded: false) : ""
    try state.forEachKey(
      { (key) throws(CommandError) in
        guard !key.publicKey.isEmpty else { return }
        let deviceID = try argument.told { () throws(StateError) in
          try state.deviceID(of: key.keyID)
        }
        guard let listed = KeptKeyRow(key: key, deviceID: deviceID).listed else { return }
        switch format {
        case .csv: text += TextRow.csv(listed.map(\.text), guarded: false)
        case .jsonl: text += KeptKeyRow.json(listed)
        }
        guard text.utf8.count > 1 << 18 else { return }
        try output(text)
        text = ""
      }, or: { CommandError($0, path: argument.state) })
    try output(text)
  }
}
