import AppAttest
import Testing

@testable import AuditEngine
@testable import AuditLog

@Suite struct `Client data hash` {
  private let data = [UInt8](repeating: 6, count: 40)

  /// The hash that is formed, and whether the recorded one disagrees.
  private func form(
    _ data: [UInt8]?, recorded: [UInt8]?, isHash: Bool
  ) -> (hash: [UInt8], isMismatch: Bool) {
    var buffer = ByteBuffer()
    var record = Record()
    record.clientData = data.map { buffer.append($0.span) }
    record.clientDataHash = recorded.map { buffer.append($0.span) }
    record.clientDataIsHash = isHash
    let hash = ClientDataHash(record, &buffer)
    return (Array(buffer.storage[hash.range]), hash.isMismatch)
  }

  // records.R41.
  @Test(arguments: [false, true])
  func `client data is hashed or is the hash, and another recorded one disagrees`(_ isHash: Bool) {
    let hash = isHash ? data : Digest256.sha256(data.span).bytes
    for recorded in [nil, hash] {
      #expect(form(data, recorded: recorded, isHash: isHash) == (hash, false))
    }
    for other in [hash.dropLast(), hash + [0], hash.dropLast() + [7], [1, 2, 3]] as [[UInt8]] {
      #expect(form(data, recorded: other, isHash: isHash) == (hash, true))
    }
    #expect(form(nil, recorded: data, isHash: isHash) == (data, false))
    #expect(form(nil, recorded: nil, isHash: isHash) == ([], false))
  }
}
