internal import AppAttest
internal import AuditLog

/// A record on its way to becoming an event.
struct EventDraft {
  let record: Record
  let keyID: Digest256?
  /// SHA-256 of the device identifier, where it tells whose key is whose and devices are joined.
  var device: Digest256?
  let hash: ClientDataHash
  let position: Position
  var codes = CodeSet()
  var counter: UInt32?
  /// The index of the configured app that the record, or else the rpIdHash, names.
  var app = EventRow.noApp
  var flags: EventRow.Flags = []
  /// The values about the app's build that Apple's system signed.
  var extensions = AuthenticatorExtensions()
  /// Whether the client data contains U+FFFD.
  var isLossy = false

  init(record: Record, keyID: Digest256?, hash: ClientDataHash, position: Position) {
    self.record = record
    self.keyID = keyID
    self.hash = hash
    self.position = position
  }

  /// The device that says whose the event is, or nil if the record names its key itself.
  var joinedDevice: Digest256? { record.kind == .assertion ? device : nil }
}

extension EventDraft {
  /// Whether a field could be read by a lenient decoder only, or tags are before the token's map.
  @inline(__always)
  func isOdd(_ bytes: Span<UInt8>) -> Bool { record.isOdd || hasTags(bytes) }

  /// Whether tags are before the token's map.
  @inline(__always)
  func hasTags(_ bytes: Span<UInt8>) -> Bool {
    guard let first = record.token.first, bytes[first] >> 5 == 6 else { return false }
    return AppAttestSniffer.hasTags(bytes.extracting(record.token))
  }
}

/// The sentence of `record.client_data_lossy`.
package enum LossyClientData {
  /// Returns the sentence about a nonce or a signature.
  package static func sentence(of what: String) -> String {
    "The \(what) does not fit the client data, which contains U+FFFD: the log may not have the bytes "
      + "that the device signed."
  }
}

/// The sentence of `record.odd_encoding`.
package enum OddEncoding {
  /// Returns the sentence about the fields that only a lenient decoder could read, and about tags
  /// before the token's map. One of them is there.
  package static func sentence(fields names: [String], hasTags: Bool) -> String {
    let fields =
      "Only a lenient decoder reads the field\(names.count == 1 ? "" : "s") "
      + names.joined(separator: ", ")
    let tags = "CBOR tags are before the token's map, which not every server skips"
    if names.isEmpty { return tags + "." }
    return fields + (hasTags ? "; \(tags)." : ".")
  }
}

extension Record {
  /// Whether a device identifier would tell something: whose key an attestation's is, or whose
  /// an assertion is that names no key.
  var needsDevice: Bool {
    switch kind {
    case .attestation: true
    case .assertion: keyID == nil
    case .challenge: false
    }
  }
}
