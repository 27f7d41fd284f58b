import AppAttest
import AuditEngine
import Basics
import Foundation
import TestSupport
import Testing

@testable import AuditSettings

struct ValueTextsTests {
  private static func shown<Value>(_ format: SettingFormat<Value>, _ text: String) -> String {
    format.parse(text).map(format.show) ?? "-"
  }

  /// The rows of `Tests/Cases/values.txt`: a format, a text, and what is shown for its value, or `-` if it is refused.
  private static let rows = ((try? Repository.text("Tests/Cases/values.txt")) ?? "no rows")
    .split(separator: "\n").map(String.init)

  @Test(arguments: rows)
  func `a text is read and shown (pipeline.R5)`(_ row: String) {
    let parts = row.components(separatedBy: "\t")
    let text = parts[1]
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
    #expect(shown == parts[2])
  }
}
