import AppAttest
import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState

/// `attest-audit state keys`: lists the facts about keys.
struct StateKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Print what is known about keys: CSV, one row for each key.",
    discussion: """
      Without a KEY, all keys are printed in the order of key_id. Standard error names keys that the \
      state does not know.
      """)

  @OptionGroup var argument: StateArgument

  @Argument(
    help: ArgumentHelp(
      "Print only these keys: hex, base64 or base64url, or 8 hex digits or more of each.",
      valueName: "key"))
  var keys: [String] = []

  func run() throws {
    let names = try keys.map { text throws(CommandError) in try KeyName(text) }
    let state = try argument.openToRead()
    let wanted = try names.map { name throws(CommandError) in
      try name.key(in: argument.state) { name throws(CommandError) in
        try argument.told { () throws(StateError) in try state.keys(in: name.range, limit: 4) }
      }
    }
    var text = TextRow.csv(KeptKeyRow.columns, guarded: false)
    func add(_ key: KeptKey) {
      text += TextRow.csv(KeptKeyRow(key: key).values, guarded: true)
      if text.utf8.count > 1 << 16 {
        Console.print(rows: text)
        text = ""
      }
    }
    for (keyID, name) in zip(wanted, keys) {
      let key = try argument.told { () throws(StateError) in try state.key(keyID) }
      if let key {
        add(key)
      } else {
        Console.note("notice: the state does not know the key \(name)")
      }
    }
    if wanted.isEmpty {
      try state.forEachKey(
        { (key) throws(CommandError) in add(key) },
        or: { CommandError($0, path: argument.state) })
    }
    Console.print(rows: text)
  }
}

extension KeyTexts {
  /// Returns a key identifier from hex, base64 or base64url, or nil for any other text.
  static func keyID(_ text: String) -> Digest256? {
    let bytes = text.utf8.count == 2 * Digest256.byteCount ? hex(text) : base64(text)
    return bytes.flatMap { Digest256($0) }
  }
}
