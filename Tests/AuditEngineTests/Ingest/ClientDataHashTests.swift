import AppAttest
import Testing

@testable import AuditEngine
@testable import AuditLog

@Suite struct `Client data hash` {
  private let data = [UInt8](repeating: 6, count: 40)

  /// The hash that is formed, and whether the recorded one disagrees.
  private func form(
    data: [UInt8]?, recorded: [UInt8]?, isHash: Bool = false
  ) -> (hash: [UInt8], isMismatch: Bool) {
    var buffer = ByteBuffer()
    var record = Record()
    record.clientData = data.map { buffer.append($0.span) }
    record.clientDataHash = recorded.map { buffer.append($0.span) }
    record.clientDataIsHash = isHash
    let hash = ClientDataHash(record, &buffer)
    return (Array(buffer.storage[hash.range]), hash.isMismatch)
  }

  @Test func `client data is hashed, whatever is recorded`() {
    let hash = Digest256.sha256(data.span).bytes
    #expect(form(data: data, recorded: nil) == (hash, false))
    #expect(form(data: data, recorded: hash) == (hash, false))
    for other in [data, [UInt8](repeating: 0, count: 32), Array(hash.prefix(31)), hash + [0]] {
      #expect(form(data: data, recorded: other) == (hash, true))
    }
  }

  @Test func `client data that is the hash is taken as it is`() {
    #expect(form(data: data, recorded: nil, isHash: true) == (data, false))
    #expect(form(data: data, recorded: data, isHash: true) == (data, false))
    let hash = Digest256.sha256(data.span).bytes
    for other in [hash, Array(data.dropLast()), data + [6], Array(data.dropLast()) + [7]] {
      #expect(form(data: data, recorded: other, isHash: true) == (data, true))
    }
  }

  @Test func `without client data the recorded hash counts`() {
    for isHash in [false, true] {
      #expect(form(data: nil, recorded: data, isHash: isHash) == (data, false))
      #expect(form(data: nil, recorded: nil, isHash: isHash) == ([], false))
    }
  }
}
