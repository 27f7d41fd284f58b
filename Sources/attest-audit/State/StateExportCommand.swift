import ArgumentParser
import AuditEngine
internal import AuditLog
import AuditReport
import AuditSettings
import AuditState
import Glibc

/// `attest-audit state export`: the keys of a state as a list of known keys.
struct StateExportCommand: ParsableCommand {
  /// The form of a list.
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case jsonl, csv
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the trusted keys as a list that --keys and state import read.")

  @OptionGroup var argument: StateArgument

  @Option(help: "jsonl or csv.")
  var format = Form.jsonl

  @Option(
    help: ArgumentHelp(
      "The file to write, in place of one that is there. (default: standard output)",
      valueName: "file"))
  var out: String?

  func run() throws {
    let state = try argument.openToRead()
    guard let out else {
      return try write(state) { Console.print(String(decoding: $0, as: UTF8.self)) }
    }
    let file = try ReplacingFile(out)
    try write(state) { bytes throws(CommandError) in try file.write(bytes) }
    try file.putInPlace()
  }

  /// Hands the list on in pieces.
  private func write(
    _ state: StateDirectory, to output: ([UInt8]) throws(CommandError) -> Void
  ) throws(CommandError) {
    var text =
      format == .csv ? RememberedKeyRow.csv(RememberedKeyRow.listedColumns, guarded: false) : ""
    try state.forEachKey(
      { (key) throws(CommandError) in
        guard !key.publicKey.isEmpty else { return }
        let deviceID = try argument.told { () throws(StateError) in
          try state.deviceID(of: key.keyID)
        }
        guard let listed = RememberedKeyRow(key: key, deviceID: deviceID).listed else { return }
        do {
          switch format {
          case .csv: text += RememberedKeyRow.csv(listed.map(\.text), guarded: false)
          case .jsonl: text += try RememberedKeyRow.json(listed)
          }
        } catch { throw CommandError(.failure, "a key cannot be written: \(error)") }
        guard text.utf8.count > 1 << 18 else { return }
        try output(Array(text.utf8))
        text = ""
      }, or: { CommandError($0, path: argument.state) })
    try output(Array(text.utf8))
  }
}

/// A file that is written aside and then takes the place of another; gone where it does not.
final class ReplacingFile {
  private let path: String
  private let aside: String
  private let descriptor: Int32
  private var isPlaced = false

  /// Creates the file beside `path`, for its owner alone.
  init(_ path: String) throws(CommandError) {
    self.path = path
    aside = "\(path).partial-\(getpid())"
    descriptor = unsafe open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.error("create", path, errno) }
  }

  deinit {
    close(descriptor)
    if !isPlaced { unsafe unlink(aside) }
  }

  func write(_ bytes: [UInt8]) throws(CommandError) {
    let number = DescriptorOutput.write(bytes, to: descriptor)
    guard number == 0 else { throw Self.error("write", path, number) }
  }

  /// Sends the file to the disk and renames it.
  func putInPlace() throws(CommandError) {
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw Self.error("flush", path, errno)
    }
    guard unsafe rename(aside, path) == 0 else { throw Self.error("create", path, errno) }
    isPlaced = true
  }

  private static func error(_ what: String, _ path: String, _ number: Int32) -> CommandError {
    CommandError(.cannotWrite, "cannot \(what) \(path): \(ErrorText.describe(number))")
  }
}
