import ArgumentParser
import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import AuditState
import Basics

struct StateRollbackCommand: StateUser {
  static let configuration = CommandConfiguration.named(
    "rollback", "Make the state what it was before a run.",
    """
    rollback prints the runs, inputs and findings that it takes back. It changes nothing without \
    --yes. The next run reads these inputs again. Reports are not removed. A state keeps as many \
    earlier states as state.generations sets. Exit status 75: another run has locked the state.
    """)

  private static let mostNames = 20

  @OptionGroup var argument: StateArgument

  @Option(
    help: .of(
      "run",
      "Take back this run, by number or identifier, and all later ones; none of them is kept."))
  var to: String

  @Flag(help: "Take the runs back.")
  var yes = false

  @OptionGroup var lock: StateLockOption

  func run() throws {
    let state = try yes ? lock.open(argument) : argument.openToRead()
    let info = ShellText.command("attest-audit state info \(ShellText.quoted(argument.state))")
    let run = try state.run(named: to).orThrow(
      "the state has no run '\(to)'", hint: "use \(info) to see the last runs")
    let rollback = try state.rollback(before: run)
    Console.print(Self.text(rollback, before: run))
    guard yes else {
      Console.note(
        "notice: this is a preview, nothing was changed; use --yes to take these runs back")
      throw ExitCode(ExitStatus.usage.rawValue)
    }
    try state.rollBack(before: run)
    Console.print("the state is what it was before run \(run)\n")
  }

  private static func text(_ rollback: StateRollback, before run: Int64) -> String {
    var lines = rollback.runs.map { run in
      "takes back run \(run.number): \(run.mode) of \(run.day), \(run.id)"
        + (run.report.map { ", report \($0)" } ?? "")
    }
    func list(_ count: Int, _ one: String, _ many: String, _ names: [String]) {
      lines.append("\(SummaryNumber.grouped(UInt64(count))) \(count == 1 ? one : many)")
      lines += names.map { "  " + $0 }
      if count > names.count {
        lines.append("  and \(SummaryNumber.grouped(UInt64(count - names.count))) more")
      }
    }
    list(
      rollback.inputs.count, "input, read again by the next run",
      "inputs, read again by the next run", Array(rollback.inputs.prefix(mostNames)))
    list(
      rollback.findings.count, "open finding", "open findings",
      rollback.findings.prefix(mostNames).map { finding in
        "\(finding.entry.worst.name) \(finding.entry.code) "
          + Fingerprint.text(finding.entry.fingerprint)
      })
    return lines.map { OneLine.escape($0) + "\n" }.joined()
  }
}
