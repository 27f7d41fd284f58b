/// One request as a server handled it, whatever its log says of it.
struct LogRecord: Sendable {
  enum Kind: String, Sendable {
    case attestation, assertion, challenge
  }

  /// What the server did with a request.
  enum Decision: String, Sendable {
    case accepted, rejected
  }

  var kind: Kind
  /// Milliseconds since 1970.
  var time: Int64
  var keyID: [UInt8] = []
  var token: [UInt8] = []
  var data: ClientData
  /// Whether client data stands in the record; where not, its hash does.
  var showsData = true
  var appID: String?
  var subject: String?
  var requestID: String?
  var decision: Decision?
  /// The server's name for the device.
  var deviceID = ""
  /// The counter that the server had stored before the request; nil where it did not say.
  var serverCounter: UInt32?
}
