internal import AppAttest
internal import AuditLog
internal import Glibc

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
  var isLossy = false

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

package enum LossyClientData {
  /// Returns the sentence about a nonce or a signature.
  package static func sentence(of what: String) -> String {
    "The \(what) does not fit the client data, which contains U+FFFD: the log may not have the bytes "
      + "that the device signed."
  }
}

package enum OddEncoding {
  /// Returns the sentence about fields that only a lenient decoder could read, or about tags.
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
  /// Whether a device identifier would tell whose key an attestation's or assertion's is.
  var needsDevice: Bool {
    switch kind {
    case .attestation: true
    case .assertion: keyID == nil
    case .challenge: false
    }
  }
}

/// The clientDataHash that all else is judged by.
struct ClientDataHash {
  /// The place of the hash in the record's buffer, or an empty range if the record has none.
  let range: Range<Int>
  /// Whether the record has another one beside its client data.
  let isMismatch: Bool

  /// Forms it from the client data as the schema says, or else takes the recorded one.
  init(_ record: Record, _ buffer: inout ByteBuffer) {
    guard let data = record.clientData else {
      range = record.clientDataHash ?? 0..<0
      isMismatch = false
      return
    }
    if record.clientDataIsHash {
      range = data
      isMismatch = record.clientDataHash.map { buffer.storage[$0] != buffer.storage[data] } ?? false
    } else {
      let computed = Digest256.sha256(buffer.storage.span.extracting(data))
      isMismatch =
        record.clientDataHash.map { Digest256(buffer.storage.span.extracting($0)) != computed }
        ?? false
      range = computed.withSpan { buffer.append($0) }
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether U+FFFD is among these bytes in UTF-8: the mark of bytes that a logger could not keep.
  var containsReplacementCharacter: Bool {
    unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      var at = 0
      while at + 3 <= bytes.count, let found = unsafe memchr(base + at, 0xEF, bytes.count - at - 2)
      {
        at = unsafe base.distance(to: UnsafeRawPointer(found))
        if unsafe bytes[at + 1] == 0xBF, unsafe bytes[at + 2] == 0xBD { return true }
        at += 1
      }
      return false
    }
  }
}
