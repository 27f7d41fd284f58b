import FindingCodes

/// One request as a server handled it, whatever its log contains about it.
struct LogRecord: Sendable {
  enum Kind: String, Sendable {
    case attestation, assertion, challenge
  }

  /// The server's decision about a request.
  enum Decision: String, Sendable {
    case accepted, rejected
  }

  var kind: Kind
  /// The time in milliseconds since 1970.
  var time: Int64
  var keyID: [UInt8] = []
  var token: [UInt8] = []
  var data: ClientData
  /// Whether the record contains client data, false where it contains their hash.
  var showsData = true
  var appID: String?
  var subject: String?
  var requestID: String?
  var decision: Decision?
  /// The server's name for the device.
  var deviceID = ""
  /// The counter that the server had stored before the request, or nil if the record does not give
  /// it.
  var serverCounter: UInt32?
  /// Whether the record gives its kind, if the log has a field for it. Otherwise chance decides.
  var saysKind = false
  /// The text in place of the key identifier's base64.
  var keyText: [UInt8]?
  /// The text in place of the token's base64.
  var tokenText: [UInt8]?
  /// Whether base64 is broken into lines (RFC 2045).
  var breaksLines = false

  /// The spelling of the paths of routes that rules look for.
  var route = RouteSpelling.plain

  /// Returns the key identifier in the form of the log.
  func spelledKey(_ code: TextCode = .base64) -> [UInt8] { keyText ?? spelled(keyID, code) }

  /// Returns the token in the form of the log.
  func spelledToken(_ code: TextCode = .base64) -> [UInt8] { tokenText ?? spelled(token, code) }

  /// Returns `bytes` in the form of the log.
  func spelled(_ bytes: [UInt8], _ code: TextCode = .base64) -> [UInt8] {
    breaksLines ? code.encodeLines(bytes) : code.encode(bytes)
  }
}
