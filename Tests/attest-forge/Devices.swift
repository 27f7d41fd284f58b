import ArgumentParser
import Foundation
import LogForge

/// Answers for the forged clients of a real server.
struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Answer for synthetic devices: attest and sign what standard input asks for.",
    discussion: """
      Each line of standard input is `attest DEVICE DATA` or `assert DEVICE DATA`: a device's number, and \
      client data in base64. Each line of the answer is a key identifier and a token, both in base64. \
      Attestations are of the present time. DIR receives anchors/ before the first answer.
      """)

  @Option(name: .long, help: "The folder for anchors/; made if missing.")
  var out: String

  @Option(name: .long, help: "The seed from which all keys follow.")
  var seed: UInt64 = 1

  func run() throws {
    var devices = LiveDevices(seed: seed, at: Self.now)
    try devices.writeAnchors(to: out)
    while let line = readLine() {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 3, let number = UInt64(words[1]),
        let data = Data(base64Encoded: String(words[2]))
      else { throw ValidationError("no question: \(line)") }
      let answer =
        switch words[0] {
        case "attest": devices.attestation(of: number, for: Array(data), at: Self.now)
        case "assert": devices.assertion(of: number, for: Array(data))
        default: throw ValidationError("no question: \(line)")
        }
      let text = [answer.keyID, answer.token].map { Data($0).base64EncodedString() }
      FileHandle.standardOutput.write(Data("\(text.joined(separator: " "))\n".utf8))
    }
  }

  /// Milliseconds since 1970.
  private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
