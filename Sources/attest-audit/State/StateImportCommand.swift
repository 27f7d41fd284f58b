import ArgumentParser
import AuditReport
import AuditSettings
import AuditState

/// `attest-audit state import`: adds a list of known keys to a state.
struct StateImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Adds the keys of a list, in the form of --keys, to the state.",
    discussion: """
      Of keys that the state knows nothing is lost: counters are never lowered, of two times of \
      attestation the earlier one counts, and what the list says besides is filled in where nothing is \
      known. All keys of the list are added or none. A state that is not there is made. Exit status 75: a run holds the state.
      """)

  @OptionGroup var argument: StateArgument

  @Argument(help: "The list: CSV with a header, or JSON Lines.")
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
