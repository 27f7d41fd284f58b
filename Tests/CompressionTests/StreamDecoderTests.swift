import Compression
import Foundation
import TestSupport
import Testing

@Suite struct `Stream decoder` {
  @Test func `formats are told by their magic bytes`() {
    func detect(_ bytes: [UInt8]) -> StreamFormat { StreamFormat.detect(bytes.span) }
    #expect(detect([0x28, 0xB5, 0x2F, 0xFD, 0]) == .zstd)
    #expect(detect([0x50, 0x2A, 0x4D, 0x18]) == .zstd)
    #expect(detect([0x5F, 0x2A, 0x4D, 0x18]) == .zstd)
    #expect(detect([0x60, 0x2A, 0x4D, 0x18]) == .plain)
    #expect(detect([0x1F, 0x8B, 0x08, 0x00]) == .gzip)
    #expect(detect([0x1F, 0x8B]) == .gzip)
    #expect(detect([0x28, 0xB5]) == .zstd)
    #expect(detect([0x28]) == .plain)
    #expect(detect([]) == .plain)
    #expect(detect(Array("{\"a\":1}".utf8)) == .plain)
    #expect(detect(Array("P*M".utf8)) == .plain)
  }

  @Test(arguments: Chunks.allCases)
  func `plain bytes pass through`(chunks: Chunks) throws {
    let content = lines("plain", 3000)
    #expect(try decode(content, chunks: chunks, room: 999).pieces == [.bytes(content)])
  }

  @Test func `an empty source is empty`() throws {
    for format in [nil, StreamFormat.plain, .zstd, .gzip] {
      #expect(try decode([], format: format).pieces == [])
    }
  }

  /// The rows of `Tests/Cases/streams.txt`: a stream, made of the texts `t1` to `t3`, which `z1` to `z3` and `g1` to `g3`
  /// have as frames and members; what comes of it, bytes and damages behind others; and the limit of windows.
  @Test(arguments: TextCase.read("streams"))
  func `what is whole comes out, and damage is told where it is`(_ one: TextCase) throws {
    let bytes = Self.bytes(one.text)
    let pieces = one.message.components(separatedBy: "; ").map(Self.piece)
    let limit = one.hint.flatMap { Int($0) } ?? 128 << 20
    for chunks in Chunks.allCases {
      #expect(try decode(bytes, chunks: chunks, windowLimit: limit).pieces == pieces)
    }
  }

  private static let names: [Substring: [UInt8]] = made {
    var names = ["noise": noise(1000), "raw": try zstd(noise(300), checksum: false)]
    for (index, count) in [80, 60, 70].enumerated() {
      let text = lines("text \(index)", count)
      names["t\(index + 1)"] = text
      names["z\(index + 1)"] = try zstd(text, windowLog: 12)
      names["g\(index + 1)"] = try gzip(text)
    }
    return Dictionary(uniqueKeysWithValues: names.map { ($0.key[...], $0.value) })
  }

  private static func bytes(_ text: some StringProtocol) -> [UInt8] {
    [UInt8](written: text, names)
  }

  private static func piece(_ text: String) -> DecodedStream.Piece {
    let kinds: [Substring: StreamDamage.Kind] = [
      "corrupt": .corrupt, "truncated": .truncated, "unreadable": .unreadable,
    ]
    let damage = text.wholeMatch(of: /(\w+) behind (.*?)(?:, unproven behind (.*?))?: (.*)/)
    guard let damage, let kind = kinds[damage.1] else { return .bytes(bytes(text)) }
    return .damage(
      StreamDamage(
        kind, at: UInt64(bytes(damage.2).count), String(damage.4),
        unprovenFrom: damage.3.map { UInt64(bytes($0).count) }))
  }

  @Test func `what reading throws comes out`() throws {
    struct Failure: Error {}
    let frame = try zstd(lines("a", 100))
    var calls = 0
    let decoder = unsafe StreamDecoder(windowLimit: 128 << 20) { target in
      calls += 1
      guard calls == 1 else { throw Failure() }
      unsafe target.copyBytes(from: frame[..<20])
      return 20
    }
    var output = [UInt8](repeating: 0, count: 100)
    #expect(throws: Failure.self) {
      while try pull(decoder, into: &output) != .end {}
    }
  }

  @Test func `long damaged streams decode the same however they are read`() throws {
    var generator = Generator(5)
    let parts = [lines("first", 8000), noise(300_000), lines("last", 8000)]
    let zstdBytes = try zstd(parts[0], parts[1], parts[2])
    let gzipBytes = try gzip(parts[0], parts[1], parts[2])
    for round in 0..<12 {
      var bytes = round % 2 == 0 ? zstdBytes : gzipBytes
      for _ in 0..<3 {
        bytes[Int.random(in: 10..<bytes.count, using: &generator)] ^= 0x40
      }
      let whole = try decode(bytes)
      #expect(try decode(bytes, chunks: .mixed, room: 5000) == whole)
      #expect(try decode(bytes, chunks: .seven, room: 70_000) == whole)
      expectConsistent(whole, of: bytes)
    }
  }
}

/// Damage lies in the file, and two damages that follow one another directly are only a frame whose
/// checksum failed and what comes behind it.
func expectConsistent(_ decoded: DecodedStream, of bytes: [UInt8]) {
  for damage in decoded.damages {
    #expect(damage.byteOffset <= UInt64(bytes.count))
    #expect(damage.kind != .truncated || damage.byteOffset == UInt64(bytes.count))
    #expect(damage.detail.first?.isLowercase == true && damage.detail.last != ".")
    if let start = damage.unprovenFrom { #expect(start <= UInt64(decoded.content.count)) }
  }
  for (one, two) in zip(decoded.pieces, decoded.pieces.dropFirst()) {
    guard case .damage(let first) = one, case .damage(let second) = two else { continue }
    #expect(first.isChecksum && first.byteOffset != second.byteOffset)
  }
}
