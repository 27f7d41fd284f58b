import Compression
import Testing

@Suite struct `Encoders` {
  @Test func `the same input gives the same bytes however it is cut`() throws {
    let content = lines("same", 20_000) + noise(200_000)
    for format in [StreamFormat.zstd, .gzip] {
      let whole = try encode(content, format, piece: content.count)
      for piece in [997, 65_536, 131_072] {
        #expect(try encode(content, format, piece: piece) == whole)
      }
      #expect(try decode(whole).pieces == [.bytes(content)])
    }
  }

  @Test func `an empty stream is a frame or member without content`() throws {
    for format in [StreamFormat.zstd, .gzip] {
      let bytes = try encode([], format, piece: 1)
      #expect(StreamFormat.detect(bytes.span) == format)
      #expect(try decode(bytes).pieces == [])
    }
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
    #expect(throws: CompressionError.self) { try GzipEncoder(level: 99) { _ in } }
  }

  @Test func `a seekable stream ends with the table of its frames`() throws {
    var bytes: [UInt8] = []
    let encoder = try ZstdEncoder(seekable: true) { span in
      for index in span.indices { bytes.append(span[index]) }
    }
    let (one, two) = (lines("a", 10), lines("b", 20))
    let skipped: [UInt8] = [1, 2, 3]
    try encoder.write(one.span)
    try encoder.endFrame()
    let first = bytes.count
    try encoder.writeSkippableFrame(skipped.span, variant: 2)
    try encoder.write(two.span)
    try encoder.endFrame()
    let end = bytes.count
    try encoder.finish()
    #expect(try decode(bytes).pieces == [.bytes(one + two)])
    let entries = [
      (first, one.count), (11, 0), (end - first - 11, two.count),
    ]
    func word(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 255) } }
    let table =
      word(0x184D_2A5E) + word(3 * 8 + 9) + entries.flatMap { word($0.0) + word($0.1) } + word(3)
      + [0] + word(0x8F92_EAB1)
    #expect(Array(bytes[end...]) == table)
  }

  @Test func `what writing throws comes out`() throws {
    struct Full: Error {}
    let content: [UInt8] = [1, 2, 3]
    let zstd = try ZstdEncoder { _ in throw Full() }
    #expect(throws: Full.self) {
      try zstd.write(content.span)
      try zstd.finish()
    }
    let gzip = try GzipEncoder { _ in throw Full() }
    #expect(throws: Full.self) {
      try gzip.write(content.span)
      try gzip.finish()
    }
  }

  private func encode(
    _ content: [UInt8], _ format: StreamFormat, piece: Int
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let append = { (span: Span<UInt8>) in
      for index in span.indices { bytes.append(span[index]) }
    }
    var pieces: [[UInt8]] = []
    for start in stride(from: 0, to: content.count, by: piece) {
      pieces.append(Array(content[start..<min(start + piece, content.count)]))
    }
    if format == .zstd {
      let encoder = try ZstdEncoder(write: append)
      for piece in pieces { try encoder.write(piece.span) }
      try encoder.finish()
    } else {
      let encoder = try GzipEncoder(write: append)
      for piece in pieces { try encoder.write(piece.span) }
      try encoder.finish()
    }
    return bytes
  }
}
