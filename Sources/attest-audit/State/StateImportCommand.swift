import ArgumentParser
import AuditReport
import AuditSettings
import AuditState

/// `attest-audit state import`: adds a list of known keys to a state.
struct StateImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add a list of keys, in the form of --keys, to the state.",
    discussion: """
      Nothing is lost for keys that the state knows: counters are never lowered, the earlier of two \
      times of attestation counts, and other values are only filled in if they are unknown. Either \
      all keys of the list are added or none. If there is no state, it is made. Exit status 75: \
      another run has locked the state.
      """)

  @OptionGroup var argument: StateArgument

  @Argument(help: "Read this list: CSV with a header, or JSON Lines.")
  var file: String

  @OptionGroup var lock: StateLockOption

  func run() throws {
    let list = try KnownKeysFile.read(NamedPath(path: file, origin: file))
    for notice in list.notices { Console.note("notice: \(notice)") }
    let state = try lock.open(argument, mayBeMade: true)
    let imported = try argument.told { () throws(StateError) in
      try state.importKeys(list.keys, from: file, StateLockOption.facts("import"))
    }
    let number = SummaryNumber.grouped
    Console.print(
      "\(number(UInt64(imported.added))) keys added, "
        + "\(number(UInt64(imported.raised))) keys completed, "
        + "\(number(UInt64(imported.unchanged))) keys as they were\n")
  }
}
