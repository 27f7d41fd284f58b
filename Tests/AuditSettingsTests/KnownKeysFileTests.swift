import AppAttest
import AuditEngine
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditSettings

struct KnownKeysFileTests {
  // The generator of P-256 and its double (SEC 2, 2.4.2), as keys that anybody can check.
  private static let x = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
  private static let y = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
  private static let x2 = "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978"
  private static let y2 = "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1"

  private static func bytes(_ hex: String) -> [UInt8] { KeyTexts.hex(hex) ?? [] }
  static let point = bytes("04" + x + y)
  static let otherPoint = bytes("04" + x2 + y2)
  static let id = Digest256.sha256(point.span)
  static let otherID = Digest256.sha256(otherPoint.span)
  static let base64ID = Data(id.bytes).base64EncodedString()
  static let base64Point = Data(point).base64EncodedString()
  static let row = "\(base64ID),\(base64Point),A.b"

  private let scratch = made { try Scratch() }

  private func read(_ text: String, app: String? = nil) throws -> KnownKeysFile {
    let path = try scratch.write("k.csv", text)
    return try KnownKeysFile.read(NamedPath(path: path, origin: "--keys"), app: app)
  }

  private func failure(_ text: String) -> CommandError? {
    complaint(in: scratch) { _ = try read(text) }
  }

  @Test func `a csv with every column is read`() throws {
    let file = try read(
      "\u{FEFF}keyId,publicKey,appId,environment,attestedAt,lastCounter,subject,deviceId\r\n"
        + Self.row + ",production,2026-03-01T12:00:00.5Z,4294967295,\"a, \"\"b\"\"\",d-1\r\n\r\n")
    #expect(
      file.keys == [
        KnownKey(
          keyID: Self.id, publicKey: Self.point, appID: "A.b", environment: .production,
          attestedAt: 1_772_366_400_500, lastCounter: .max, subject: "a, \"b\"", deviceID: "d-1")
      ])
    #expect(file.notices.isEmpty)
  }

  @Test func `line ends inside of quotes stay as they are`() throws {
    let file = try read(
      "keyId,publicKey,appId,subject,deviceId\r\n\(Self.row),\"a\r\nb\",\"\r\n\r\"\r\n"
        + "\(Self.otherID.hex),\(Data(Self.otherPoint).base64EncodedString()),A.b,\"c\nd\",e\r\n")
    #expect(file.keys.map(\.subject) == ["a\r\nb", "c\nd"])
    #expect(file.keys.map(\.deviceID) == ["\r\n\r", "e"])
  }

  /// The message has the point of each key, its App ID, and what else is known of it.
  @Test(arguments: TextCase.read("known-keys"))
  func `a list in any form is read (records.R57, R90)`(_ list: TextCase) throws {
    let file = try read(list.text, app: "A.c")
    let keys = file.keys.map { key in
      let name = key.publicKey == Self.point ? "1" : key.publicKey == Self.otherPoint ? "2" : "?"
      return [
        name, key.appID, key.attestedAt.map { "\($0)" }, key.lastCounter.map { "\($0)" },
        key.subject, key.deviceID,
      ].compactMap(\.self).joined(separator: " ")
    }
    #expect(keys.joined(separator: "; ") == list.message)
    #expect(file.notices == (list.hint.map { ["\(scratch.path)/k.csv: \($0)"] } ?? []))
  }

  @Test func `many rows pass the buffer`() throws {
    // Longer than a piece of the file, so that rows lie across its ends.
    let text =
      "keyId,publicKey,appId,subject\n"
      + "\(Self.row),\(String(repeating: "x", count: 900_000))\n"
      + "\(Data(Self.otherID.bytes).base64EncodedString()),"
      + "\(Data(Self.otherPoint).base64EncodedString()),A.b,\(String(repeating: "y", count: 900_000))"
    #expect(try read(text).keys.map { $0.subject?.count } == [900_000, 900_000])
  }

  private static let head = "keyId,publicKey,appId"
  @Test(arguments: TextCase.read("known-keys-mistakes"))
  func `a row that is not valid is an error with its line (records.R61)`(_ mistake: TextCase) {
    #expect(
      failure(mistake.text)
        == CommandError(.invalidFile, mistake.message, hint: mistake.hint))
  }

  @Test func `a line without an end does not fill the memory`() {
    #expect(
      failure("\(Self.head)\n" + String(repeating: "x", count: 3 << 20))?.message
        == "k.csv:2: the line is too long for a key")
    let lines = String(repeating: String(repeating: "x", count: 1000) + "\n", count: 2000)
    #expect(
      failure("\(Self.head)\n\"" + lines)?.message == "k.csv:2: the row is too long for a key")
  }

  @Test(arguments: [("true", true), ("false", false), ("", false)])
  func `a list says whether a log had the attestation`(_ word: String, _ isLogged: Bool) throws {
    let file = try read("keyId,publicKey,appId,attestationLogged\n\(Self.row),\(word)\n")
    #expect(file.keys.map(\.isAttestationLogged) == [isLogged])
  }

  @Test func `a list that is not there is told with who named it`() {
    #expect(
      throws: CommandError(
        .invalidFile, "p.yaml:3: cannot read \(scratch.path)/no: no such file or directory",
        hint: "list the folder: " + ShellText.command("ls \(scratch.path)"))
    ) {
      try KnownKeysFile.read(NamedPath(path: scratch.path + "/no", origin: "p.yaml:3"))
    }
  }
}
