import AppAttest
import ArgumentParser
import AuditEngine
import Foundation
import TestSupport
import Testing

@testable import AuditSettings
@testable import attest_audit

struct SettingsTests {
  private let scratch = made { try Scratch() }

  private func settings(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> RunSettings {
    let command = try AuditCommand.parse(arguments)
    return try command.typed.settings(now: 1_772_366_400_000, environment: environment)
  }

  @Test func `every flag arrives`() throws {
    // The words after each flag, and the setting's value as it is shown, if that is another text.
    let flags = TextCase.read("flags").flatMap(\.lines).map { $0.split(separator: "|") }
    let settings = try settings(
      ["x"] + flags.flatMap { $0[0].split(separator: " ").map(String.init) })
    for words in flags {
      let parts = words[0].split(separator: " ")
      let setting = SettingTable.all.first { $0.flag?.name == String(parts[0]) }
      let shown = try #require(setting).shown(in: settings).joined()
      #expect(shown == String(words.count > 1 ? words[1] : parts[1]), "\(words[0])")
    }
    let elsewhere = [
      "pipeline", "files-from", "schema", "date", "trust-anchor", "receipt-anchor", "keys",
    ]
    #expect(
      Set(SettingTable.all.compactMap(\.flag?.name))
        == Set(flags.map { String($0[0].prefix { $0 != " " }) } + elsewhere.map { "--" + $0 }))
  }

  @Test func `a list of inputs adds to those that are named`() throws {
    let list = try scratch.write("list", "one\r\n\n  \ntwo words\nthree")
    let settings = try settings(["zero", "--files-from", list, "--app-id", "A.b"])
    #expect(settings.configuration.inputs == ["zero", "one", "two words", "three"])
    let more = try scratch.write("more", "four\n")
    let both = try self.settings(["--files-from", list, "--files-from=\(more)", "--app-id", "A.b"])
    #expect(both.configuration.inputs == ["one", "two words", "three", "four"])
  }

  @Test func `anchors replace those of apple`() throws {
    let pem =
      "-----BEGIN CERTIFICATE-----\n"
      + Data(AppleTrust.rootCAG3).base64EncodedString(options: .lineLength64Characters)
      + "\n-----END CERTIFICATE-----\n"
    let path = try scratch.write("a.pem", "A comment\n" + pem + pem)
    let settings = try settings(["x", "--app-id", "A.b", "--trust-anchor", path])
    #expect(settings.configuration.trustAnchors.allSatisfy { $0 == AppleTrust.rootCAG3 })
    #expect(settings.configuration.receiptAnchors == [AppleTrust.rootCAG3])
  }
}

struct AuditDayTests {
  @Test func `yesterday is the day before in utc`() throws {
    for (now, day) in [
      (1_772_323_200_000 as Int64, "2026-02-28"), (1_772_323_199_999, "2026-02-27"),
    ] {
      #expect(try TypedFlags().settings(now: now).configuration.day == day)
    }
  }
}
