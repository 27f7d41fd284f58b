import AuditReport
import AuditSettings
import Basics
import Files
import Foundation
import Glibc
import Synchronization

/// Standard output and standard error, written without buffering and without dying of a reader that
/// went away.
enum Console {
  /// The length of the progress line that stands on the terminal now; 0: none. Its lock makes lines
  /// of several threads whole.
  private static let progressLength = Mutex(0)
  private static let isOutputLost = Mutex(false)

  static let errorIsTerminal = isatty(STDERR_FILENO) == 1
  static let outputIsTerminal = isatty(STDOUT_FILENO) == 1

  /// Returns whether text on standard output has colours.
  static func hasColors(_ choice: ColorChoice) -> Bool {
    choice.isOn(
      isTerminal: outputIsTerminal, environment: ProcessInfo.processInfo.environment)
  }

  /// A line on standard error, after the program's name; a progress line gives way to it.
  static func note(_ text: String) {
    writeError("\(Tool.name): \(OneLine.escape(text))\n")
  }

  /// The error and its hint on standard error.
  static func report(_ error: CommandError) {
    note("error: " + error.message)
    if let hint = error.hint { writeError("hint: \(OneLine.escape(hint))\n") }
  }

  /// Shows `text` in place of the progress line that is there.
  static func showProgress(_ text: String) {
    progressLength.withLock { length in
      let padding = String(repeating: " ", count: max(0, length - text.count))
      write("\r\(text)\(padding)", to: .standardError)
      length = text.count
    }
  }

  /// Takes the progress line away.
  static func clearProgress() {
    progressLength.withLock { clear(&$0) }
  }

  /// Text on standard output. A reader that went away (EPIPE) is no error: whoever closed the pipe
  /// has read enough.
  static func print(_ text: String) { print(Array(text.utf8)) }

  /// Bytes on standard output, as `print` of a text.
  static func print(_ bytes: [UInt8]) {
    progressLength.withLock { clear(&$0) }
    guard let error = write(bytes, to: .standardOutput), error.number != EPIPE else { return }
    let isFirst = isOutputLost.withLock { isLost in
      defer { isLost = true }
      return !isLost
    }
    if isFirst { note("error: " + error.told("cannot write to", "standard output").message) }
  }

  /// True where something that was printed did not reach standard output.
  static var hasLostOutput: Bool { isOutputLost.withLock { $0 } }

  /// Text on standard error, as it is.
  static func printError(_ text: String) { writeError(text) }

  /// The columns of the terminal on standard error, 80 where it does not say.
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

  /// Writes all of `text` and returns what went wrong.
  @discardableResult
  private static func write(_ text: String, to file: OpenFile) -> FileError? {
    write(Array(text.utf8), to: file)
  }

  /// Writes all of `bytes` and returns what went wrong.
  private static func write(_ bytes: [UInt8], to file: OpenFile) -> FileError? {
    do throws(FileError) { try file.append(bytes.span) } catch { return error }
    return nil
  }
}
