internal import CLinux
internal import Glibc

/// The reason for which an input could not be opened or read.
package struct ReadFailure: Error {
  /// The system's error number, or nil if another file has taken the place of the one found.
  package var number: Int32?

  package init(number: Int32?) {
    self.number = number
  }

  /// One clause of English.
  package var text: String {
    number.map(ErrorText.describe) ?? "another file replaced it after it was found"
  }

  /// Whether it is the process that has no descriptor left: no fault of the input.
  package var lacksDescriptors: Bool { number == EMFILE || number == ENFILE }

  /// Returns whether a reason, as ``text`` gives it, says so.
  package static func isExhaustion(_ reason: String) -> Bool {
    [EMFILE, ENFILE].contains { ErrorText.describe($0) == reason }
  }
}

/// The system's own words for error numbers.
package enum ErrorText {
  /// Returns what strerror(3) says in English, with a small first letter.
  package static func describe(_ number: Int32) -> String {
    guard let words = unsafe attest_strerror(number) else { return "error \(number)" }
    let text = unsafe String(cString: words)
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
