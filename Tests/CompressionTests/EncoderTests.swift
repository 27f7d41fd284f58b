import Compression
import TestSupport
import Testing

@Suite struct `Encoders` {
  @Test func `the same input gives the same bytes however it is cut`() throws {
    let content = lines("same", 20_000) + noise(200_000)
    let whole = try encode(content, piece: content.count)
    for piece in [997, 65_536, 131_072] {
      #expect(try encode(content, piece: piece) == whole)
    }
    #expect(try decode(whole).pieces == [.bytes(content)])
  }

  @Test func `an empty stream is a frame without content`() throws {
    let bytes = try encode([], piece: 1)
    #expect(StreamFormat.detect(bytes.span) == .zstd)
    #expect(try decode(bytes).pieces == [])
  }

  @Test func `a window is as large as asked for`() throws {
    let bytes = try zstd(lines("window", 200_000), windowLog: 17)
    #expect(try decode(bytes, windowLimit: 1 << 17).damages.isEmpty)
    #expect(try decode(bytes, windowLimit: (1 << 17) - 1).damages.map(\.kind) == [.unreadable])
  }

  @Test func `a checksum is there when asked for`() throws {
    let content = lines("sum", 10)
    #expect(try zstd(content).count == zstd(content, checksum: false).count + 4)
  }

  @Test func `a setting that libzstd refuses is an error`() {
    #expect(throws: CompressionError.self) { try ZstdEncoder(windowLog: 99) { _ in } }
  }

  @Test func `what writing throws comes out`() throws {
    struct Full: Error {}
    let content: [UInt8] = [1, 2, 3]
    let zstd = try ZstdEncoder { _ in throw Full() }
    #expect(throws: Full.self) {
      try zstd.write(content.span)
      try zstd.finish()
    }
  }

  private func encode(_ content: [UInt8], piece: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let encoder = try ZstdEncoder { span in
      for index in span.indices { bytes.append(span[index]) }
    }
    for start in stride(from: 0, to: content.count, by: piece) {
      try encoder.write(Array(content[start..<min(start + piece, content.count)]).span)
    }
    try encoder.finish()
    return bytes
  }
}
