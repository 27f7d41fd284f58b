import AppAttest
import AuditEngine
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
  private static let spkiHead = "3059301306072a8648ce3d020106082a8648ce3d030107034200"

  private static func bytes(_ hex: String) -> [UInt8] { KeyTexts.hex(hex) ?? [] }
  private static func url(_ hex: String) -> String {
    Data(bytes(hex)).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
  static let point = bytes("04" + x + y)
  static let otherPoint = bytes("04" + x2 + y2)
  static let id = Digest256.sha256(point.span)
  static let otherID = Digest256.sha256(otherPoint.span)
  static let base64ID = Data(id.bytes).base64EncodedString()
  static let base64Point = Data(point).base64EncodedString()
  static let row = "\(base64ID),\(base64Point),A.b"

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

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

  @Test func `columns in another order, empty ones and unknown ones are taken`() throws {
    let file = try read(
      "note,appId,publicKey,keyId,subject\nhello,A.b,\(Self.base64Point),\(Self.base64ID),")
    #expect(file.keys == [KnownKey(keyID: Self.id, publicKey: Self.point, appID: "A.b")])
    #expect(file.notices == ["\(scratch.path)/k.csv: columns that are not read: note"])
  }

  @Test func `json lines are read, numbers and nulls included`() throws {
    let file = try read(
      """
      {"keyId":"\(Self.id.hex)","publicKey":"\(Self.base64Point)","appId":"A.b","attestedAt":1772366400.25,"lastCounter":7,"subject":12,"deviceId":null,"more":[1]}

      {"keyId":"\(Self.otherID.hex.uppercased())","publicKey":"\(Data(Self.otherPoint).base64EncodedString())","appId":"A.b","attestedAt":1772366400250}
      """)
    #expect(
      file.keys == [
        KnownKey(
          keyID: Self.id, publicKey: Self.point, appID: "A.b", attestedAt: 1_772_366_400_250,
          lastCounter: 7, subject: "12"),
        KnownKey(
          keyID: Self.otherID, publicKey: Self.otherPoint, appID: "A.b",
          attestedAt: 1_772_366_400_250),
      ])
    #expect(file.notices == ["\(scratch.path)/k.csv: columns that are not read: more"])
  }

  @Test func `a public key is read in every form, records.R57 and R90`() throws {
    let spki = Data(Self.bytes(Self.spkiHead) + Self.point)
    let pem =
      "-----BEGIN PUBLIC KEY-----\n"
      + spki.base64EncodedString(
        options: [.lineLength64Characters, .endLineWithLineFeed])
      + "\n-----END PUBLIC KEY-----\n"
    let cose = Self.bytes("a5010203262001215820" + Self.x + "225820" + Self.y)
    let jwk =
      #"{""kty"":""EC"",""crv"":""P-256"",""x"":""\#(Self.url(Self.x))"",""y"":""\#(Self.url(Self.y))""}"#
    let forms = [
      Self.base64Point, spki.base64EncodedString(), "\"\(pem)\"", "04" + Self.x + Self.y,
      "\\x04" + Self.x + Self.y, Self.x + Self.y,
      Data(Self.point.dropFirst()).base64EncodedString(), Data(cose).base64EncodedString(),
      "\"\(jwk)\"", pem.replacing("\n", with: "\\n"),
    ]
    for text in forms {
      let file = try read("keyId,publicKey,appId\n\(Self.base64ID),\(text),A.b\n")
      #expect(file.keys.map(\.publicKey) == [Self.point])
    }
  }

  @Test func `names of columns are compared without case, underscores and hyphens`() throws {
    let row = "\(Self.base64ID),\(Self.base64Point),A.b,9"
    for header in ["key_id,public_key,app_id,last_counter", "KEYID,PublicKey,App-Id,Last-Counter"] {
      #expect(try read("\(header)\n\(row)\n").keys.map(\.lastCounter) == [9])
    }
    #expect(
      failure("keyId,key_id,publicKey,appId\n")?.message
        == "k.csv:1: the column 'keyId' occurs twice")
    let object =
      #"{"kty":"EC","crv":"P-256","x":"\#(Self.url(Self.x))","y":"\#(Self.url(Self.y))"}"#
    let line = #"{"key-id":"\#(Self.id.hex)","publicKey":\#(object),"APPID":"A.b"}"#
    #expect(try read(line).keys.map(\.publicKey) == [Self.point])
  }

  @Test func `a key without an App ID is one of the only configured app`() throws {
    for (header, end) in [("key_id,public_key", ""), ("keyId,publicKey,appId", ",")] {
      let text = "\(header)\n\(Self.base64ID),\(Self.base64Point)\(end)\n"
      #expect(try read(text, app: "A.b").keys.map(\.appID) == ["A.b"])
    }
  }

  @Test func `key identifiers are taken in base64url without padding`() throws {
    let text = Self.base64ID.replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
    #expect(
      try read("keyId,publicKey,appId\n\(text),\(Self.base64Point),A.b").keys.map(\.keyID)
        == [Self.id])
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
  func `a row that is not valid is an error with its line`(_ mistake: TextCase) {
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

  @Test func `a list that is not there is told with who named it`() {
    #expect(
      throws: CommandError(
        .invalidFile, "p.yaml:3: cannot read \(scratch.path)/no: no such file or directory")
    ) {
      try KnownKeysFile.read(NamedPath(path: scratch.path + "/no", origin: "p.yaml:3"))
    }
  }
}
