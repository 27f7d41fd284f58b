import FindingCodes

/// One request as a server handled it, whatever its log says of it.
struct LogRecord: Sendable {
  enum Kind: String, Sendable {
    case attestation, assertion, challenge
  }

  /// The server's decision about a request.
  enum Decision: String, Sendable {
    case accepted, rejected
  }

  var kind: Kind
  /// Milliseconds since 1970.
  var time: Int64
  var keyID: [UInt8] = []
  var token: [UInt8] = []
  var data: ClientData
  /// True where client data stands in the record; where not, its hash does.
  var showsData = true
  var appID: String?
  var subject: String?
  var requestID: String?
  var decision: Decision?
  /// The server's name for the device.
  var deviceID = ""
  /// The counter that the server had stored before the request, or nil if it did not say.
  var serverCounter: UInt32?
  /// True where the kind stands in the record, where the log has a field for it; where not, chance
  /// decides.
  var saysKind = false
  /// The text in place of the key identifier's base64.
  var keyText: [UInt8]?
  /// The text in place of the token's base64.
  var tokenText: [UInt8]?
  /// True where base64 is broken into lines (RFC 2045).
  var breaksLines = false

  /// How the log writes the paths of routes that rules look for.
  var route = RouteSpelling.plain

  /// Returns the key identifier as the log has it.
  func spelledKey(_ code: TextCode = .base64) -> [UInt8] { keyText ?? spelled(keyID, code) }

  /// Returns the token as the log has it.
  func spelledToken(_ code: TextCode = .base64) -> [UInt8] { tokenText ?? spelled(token, code) }

  /// `bytes` as the log has them.
  func spelled(_ bytes: [UInt8], _ code: TextCode = .base64) -> [UInt8] {
    breaksLines ? code.encodeLines(bytes) : code.encode(bytes)
  }
}
