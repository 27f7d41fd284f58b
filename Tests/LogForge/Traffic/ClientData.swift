internal import Minting

/// The input of App Attest from an app: client data, or a bare hash of it.
struct ClientData: Sendable {
  /// The client data's bytes, or nil if only the hash is known.
  var bytes: [UInt8]?
  /// The clientDataHash that was signed.
  var hash: [UInt8]

  /// Makes client data that are text.
  init(text: String) {
    self.init(bytes: Array(text.utf8))
  }

  /// Makes client data of any bytes.
  init(bytes: [UInt8]) {
    self.bytes = bytes
    hash = MintingDigest.sha256(bytes)
  }

  /// Makes a hash, or a bare challenge in its place, of 16 to 255 bytes.
  init(opaqueHash: [UInt8]) {
    hash = opaqueHash
  }

  /// The client data as text, or nil if they are not UTF-8.
  var text: String? {
    bytes.flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Returns client data of an honest request: a challenge, by itself or within a message. They are
  /// unique.
  static func unique(_ random: inout ForgeRandom) -> ClientData {
    let challenge = String(
      decoding: TextCode.base64URL.encode(random.bytes(16 + random.below(17))), as: UTF8.self)
    switch random.below(8) {
    case 0, 1:
      return ClientData(
        text: #"{"challenge":"\#(challenge)","amount":"\#(random.below(100_000))","to":"Zoë/Ödön"}"#
      )
    case 2:
      return ClientData(text: "challenge \(challenge) \u{1F511}\t«grüße»\u{0}")
    default:
      return ClientData(text: challenge)
    }
  }
}
