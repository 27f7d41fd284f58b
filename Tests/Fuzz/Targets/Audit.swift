import AuditEngine
import Foundation
import TestSupport

extension FuzzTarget {
  /// A whole audit of a few files made of a forged log's lines: one job says what three say, OpenSSL what
  /// the kernel says, little memory what much says.
  static let audit = FuzzTarget(
    name: "audit", limit: 512, mutations: 4,
    seeds: {
      var random = Generator(9)
      return (0..<12).map { _ in random.bytes(20 + random.below(150)) }
    },
    prepare: {
      try FuzzedAudits().run
    })
}

/// Audits of three files of a folder.
private struct FuzzedAudits {
  private let scratch: Scratch
  private let audit: SmallAudit
  private let pool: [[UInt8]]

  init() throws {
    scratch = try Scratch()
    audit = try SmallAudit(scratch, anchors: "\(Repository.root)/testdata/anchors")
    pool = try ["edge-a-00001.jsonl", "edge-b-00001.log", "edge-b-00002.jsonl"].flatMap { name in
      try FuzzSeeds.file("testdata/logs/\(name)").split(separator: 0x0A).prefix(300).map(Array.init)
    }
  }

  func run(_ bytes: [UInt8]) throws {
    var input = FuzzBytes(bytes)
    let packings = (0..<3).map { _ in input.below(4) }
    let scope = ReplayScope.allCases[input.below(3)]
    let needsChallenges = input.once(in: 2)
    var files = [[UInt8]](repeating: [], count: 3)
    var count = 0
    while !input.isAtEnd, count < 60 {
      count += 1
      files[input.below(3)] += line(&input) + [0x0A]
    }
    try? FileManager.default.removeItem(atPath: "\(scratch.path)/logs")
    for (index, content) in files.enumerated() {
      try scratch.write("logs/\(index)", packed(content, packings[index]))
    }
    func outcome(_ jobs: Int, _ memory: Int, _ verifier: SignatureVerifier) throws
      -> SmallAudit.Outcome
    {
      try audit.run(["\(scratch.path)/logs"]) { configuration in
        configuration.limits.jobs = jobs
        configuration.limits.memory = memory
        configuration.verification.verifier = verifier
        configuration.detection.replayScope = scope
        configuration.detection.challengesRequired = needsChallenges
      }
    }
    let one = try outcome(1, 64 << 20, .openssl)
    let many = try outcome(3, 512 << 20, .batch)
    require(one == many, "\(one)\n\(many)")
    let unread = one.inputs.reduce(0) { $0 + $1.unreadableLines }
    require(unread == one.rejects.count, "\(unread) lines, and \(one.rejects.count) rejects")
  }

  /// A line of the pool, now and then with a byte changed, cut, or joined with another one.
  private func line(_ input: inout FuzzBytes) -> [UInt8] {
    var line = pool[input.below(pool.count)]
    switch input.below(10) {
    case 0: line[input.below(line.count)] = input.byte()
    case 1: line.removeSubrange(input.below(line.count)...)
    case 2: line.replaceSubrange(0..<input.below(line.count), with: input.bytes(3))
    case 3:
      let other = pool[input.below(pool.count)]
      line = line.prefix(input.below(line.count)) + other.suffix(input.below(other.count))
    default: break
    }
    return line
  }

  private func packed(_ content: [UInt8], _ packing: Int) throws -> [UInt8] {
    switch packing {
    case 0: return content
    case 1: return Packed.gzip(content)
    case 2: return Packed.zstd(content)
    default:
      var bytes = Packed.zstd(content)
      bytes[bytes.count / 2] ^= 1
      return bytes
    }
  }
}
