internal import CLinux

/// The system's own words for error numbers.
package enum ErrorText {
  /// Returns what strerror(3) says in English, with a small first letter.
  package static func describe(_ number: Int32) -> String {
    guard let words = unsafe attest_strerror(number) else { return "error \(number)" }
    let text = unsafe String(cString: words)
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
