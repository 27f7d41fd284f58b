import AppAttest
import AuditEngine
import Basics
import TestSupport
import Testing

@testable import AuditSettings

struct ValueTextsTests {
  private static func shown<Value>(_ format: SettingFormat<Value>, _ text: String) -> String {
    format.parse(text).map(format.show) ?? "-"
  }

  /// Each case is a format, a text, and what is shown for its value, or `-` if it is refused.
  @Test(arguments: TextCase.read("values"))
  func `a text is read and shown`(_ test: TextCase) {
    let parts = test.text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(parts[1])
    let shown =
      switch parts[0] {
      case "duration": Self.shown(.duration, text)
      case "memory": Self.shown(.memory, text)
      case "window": Self.shown(.zstdWindow, text)
      case "share": Self.shown(.percent, text)
      case "app": Self.shown(.appID, text)
      case "day": Self.shown(.day, text)
      default: "no format"
      }
    #expect(shown == test.message, "\(test.text)")
  }
}
