import AuditReport
import AuditSettings
import Basics
import Files
import Foundation
import Glibc
import Logging
import Synchronization

/// Standard output and error, without buffering. A reader that went away does not end the program.
enum Console {
  /// The length of the progress line on the terminal, or 0. Its lock keeps lines whole.
  private static let progressLength = Mutex(0)
  private static let isOutputLost = Mutex(false)

  static let errorIsTerminal = isatty(STDERR_FILENO) == 1
  static let outputIsTerminal = isatty(STDOUT_FILENO) == 1

  static func hasColors(_ choice: ColorChoice) -> Bool {
    choice.isOn(isTerminal: outputIsTerminal, environment: ProcessInfo.processInfo.environment)
  }

  /// Writes a line on standard error, after the program's name. It removes a progress line first.
  static func note(_ text: String) {
    writeError(TextWrap.page("\(Tool.name): \(OneLine.escape(text))\n"))
  }

  static func report(_ error: CommandError) {
    for error in error.earlier { report(error) }
    note("error: " + error.message)
    if let hint = error.hint { writeError(TextWrap.page("hint: \(OneLine.escape(hint))\n")) }
  }

  static func showProgress(_ text: String) {
    progressLength.withLock { length in
      let padding = String(repeating: " ", count: max(0, length - text.count))
      write("\r\(text)\(padding)", to: .standardError)
      length = text.count
    }
  }

  static func clearProgress() { progressLength.withLock { clear(&$0) } }

  /// Writes text for people on standard output, in lines of at most 80 columns, with control
  /// characters escaped (reports.R25), except colours if it `hasColors`. EPIPE is no error.
  static func print(_ text: String, hasColors: Bool = false) {
    print(unchanged: TextWrap.page(ControlCharacters.shown(lines: text, hasColors: hasColors)))
  }

  /// Writes text for programs, such as CSV, JSON or YAML, like `print`, in lines of any length.
  static func print(rows: String) {
    print(unchanged: ControlCharacters.shown(lines: rows, hasColors: false))
  }

  /// Writes text of the program on standard output, like `print`.
  static func print(unchanged text: String) {
    progressLength.withLock { clear(&$0) }
    guard let error = write(text, to: .standardOutput), error.number != EPIPE else { return }
    let isFirst = isOutputLost.withLock { isLost in
      defer { isLost = true }
      return !isLost
    }
    if isFirst { note("error: " + error.told("cannot write to", "standard output").context) }
  }

  static var hasLostOutput: Bool { isOutputLost.withLock { $0 } }

  /// Writes text for people on standard error, like `print`.
  static func printError(_ text: String) {
    writeError(TextWrap.page(ControlCharacters.shown(lines: text, hasColors: false)))
  }

  /// The columns of the terminal on standard error, or 80 if they are not known.
  static var columns: Int {
    var size = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return 80
    }
    return Int(size.ws_col)
  }

  private static func writeError(_ text: String) {
    progressLength.withLock { length in
      clear(&length)
      write(text, to: .standardError)
    }
  }

  private static func clear(_ length: inout Int) {
    guard length > 0 else { return }
    write("\r" + String(repeating: " ", count: length) + "\r", to: .standardError)
    length = 0
  }

  /// Writes all of `text`. Returns the error, or nil if there was none.
  @discardableResult
  private static func write(_ text: String, to file: OpenFile) -> AuditError? {
    do throws(AuditError) { try file.append(Array(text.utf8).span) } catch { return error }
    return nil
  }
}

/// Log lines on standard error, without a time: `attest-audit: notice: …`.
struct TerminalLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { Console.note("\(event.level.rawValue): \(event.message)") }

  static func logger(_ level: LogLevel) -> Logger {
    let shown = Logger.Level(rawValue: level.rawValue) ?? .notice
    return Logger(label: "attest-audit") { _ in TerminalLog(logLevel: shown) }
  }
}
