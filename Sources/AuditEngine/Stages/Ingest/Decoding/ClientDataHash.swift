internal import AppAttest
internal import AuditLog

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
