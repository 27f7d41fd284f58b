import AppAttest
import Basics
import Files
import Minting
import RowShuffle
import SignatureBatch
import Synchronization
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Signature judge` {
  /// Two keys with three signatures each; the middle one of each is invalid.
  private let keys: [KeyContext]
  private let signatures: [[UInt8]]

  init() throws {
    var random = Generator(77)
    var keys: [KeyContext] = []
    var signatures: [[UInt8]] = []
    for number in 0..<2 {
      let signer = MintingSigner(.p256)
      let secret = random.bytes(32)
      let known = KnownKey(
        keyID: digest(UInt8(number)), publicKey: signer.publicPoint(of: secret), appID: "A.b",
        environment: nil)
      keys.append(KeyContext(keyID: known.keyID, imported: known))
      for place in 0..<3 {
        let digest = random.bytes(32)
        let signature = signer.sign(digest, secret: secret)
        var signed = signature.r + signature.s + digest
        if place == 1 { signed[95] ^= 1 }
        signatures.append(signed)
      }
    }
    self.keys = keys
    self.signatures = signatures
  }

  private func hex(_ bytes: [UInt8]) -> String {
    String(decoding: Hex.encode(bytes.span), as: UTF8.self)
  }

  private static let holding = [true, false, true, true, false, true]

  private func judge(
    _ kernel: SignatureJudge.Kernel?, crossCheck: Double
  ) throws -> (holds: [Bool], tally: VerificationTally) {
    let judge = SignatureJudge(kernel: kernel, crossCheck: crossCheck)
    // The second batch must know nothing of the first.
    var holds: [Bool] = []
    for _ in 0..<2 {
      holds = []
      try judge.judge { batch in
        for (index, key) in keys.enumerated() {
          let isAdded = batch.add(key)
          #expect(isAdded)
          for signed in signatures[(index * 3)..<(index * 3 + 3)] {
            unsafe signed.withUnsafeBytes { unsafe batch.add($0) }
          }
        }
      } _: {
        holds.append($0)
      }
    }
    return (holds, judge.tally)
  }

  /// A kernel that says the same of every signature.
  private func saying(_ verdict: BatchVerdict) -> SignatureJudge.Kernel {
    { keys, counts, signatures, verdicts in
      #expect(keys.count == counts.count * 64 && verdicts.count * 96 == signatures.count)
      #expect(counts.reduce(0, +) == verdicts.count)
      verdicts = verdicts.map { _ in verdict.rawValue }
    }
  }

  private func kernel() throws -> SignatureJudge.Kernel {
    let tables = try #require(BaseTables(curve: .p256, arithmetic: .best, width: 6))
    return try #require(P256BatchKernel(tables: tables, arenaBytes: 1 << 30)).judge
  }

  @Test func `kernel and OpenSSL come to the same verdicts`() throws {
    let plain = try judge(nil, crossCheck: 1)
    #expect(plain.holds == Self.holding)
    #expect(plain.tally.openssl == 12 && plain.tally.batch == 0)
    let batch = try judge(kernel(), crossCheck: 0)
    #expect(batch.holds == Self.holding)
    #expect(batch.tally.batch == 12 && batch.tally.confirmed == 4)
    #expect(batch.tally.openssl == 4 && batch.tally.crossChecked == 0)
    let checked = try judge(kernel(), crossCheck: 1)
    #expect(checked.holds == Self.holding)
    #expect(checked.tally.crossChecked == 8 && checked.tally.openssl == 12)
  }

  @Test func `OpenSSL decides what the kernel does not`() throws {
    let (holds, tally) = try judge(saying(.undecided), crossCheck: 0)
    #expect(holds == Self.holding)
    #expect(tally.undecided == 12 && tally.openssl == 12 && tally.confirmed == 0)
  }

  @Test func `a rejection that OpenSSL does not confirm stops the run`() throws {
    let error = #expect(throws: AuditError.self) {
      try judge(saying(.invalid), crossCheck: 0)
    }
    #expect(error?.code == .inconsistent)
    let r = hex(Array(signatures[0].prefix(32)))
    #expect(error?.context.contains("rejects a signature that OpenSSL accepts") == true)
    #expect(error?.context.contains("r \(r)") == true)
  }

  @Test func `a false acceptance that is examined again stops the run`() throws {
    let error = #expect(throws: AuditError.self) {
      try judge(saying(.valid), crossCheck: 1)
    }
    #expect(error?.code == .inconsistent)
    let point = hex(keys[0].trust?.publicKey ?? [])
    let digest = hex(Array(signatures[1][64...]))
    #expect(error?.context.contains("accepts a signature that OpenSSL rejects") == true)
    #expect(error?.context.contains("public key \(point)") == true)
    #expect(error?.context.contains("digest \(digest)") == true)
  }

  @Test func `a share of what is accepted is examined again`() throws {
    var looked: UInt64 = 0
    for _ in 0..<40 {
      let (_, tally) = try judge(kernel(), crossCheck: 0.5)
      #expect(tally.crossChecked <= 8)
      looked += tally.crossChecked
    }
    // 320 draws: a fair coin stays within ten deviations.
    #expect((70...250).contains(looked))
  }

  /// A log as short as can be: every block is among the last.
  @Test(arguments: [BatchVerdict.invalid, .valid])
  func `a disagreement in the last block stops the run before anything is found`(
    _ verdict: BatchVerdict
  ) throws {
    let scratch = try Scratch()
    let plan = MemoryPlan(memory: 64 << 20, jobs: 1, verdicts: false)
    let shuffles = Shuffles(plan, workers: 1, folder: scratch.path, wantsVerdicts: false)
    let row = RowBuilder(texts: shuffles.texts)
    for (index, signed) in signatures.enumerated() {
      var event = SampleEvent(keyID: keys[index / 3].keyID, time: Int64(index), app: 0)
      event.counter = UInt32(index + 1)
      event.signed = signed
      try event.write(row)
      unsafe try shuffles.byKey.writer(0).append(row.row)
    }
    let run = Cancellation<AuditError>()
    let progress = AuditProgress()
    let apps = ConfiguredApps([AppPolicy(id: "A.b")])
    let findings = FindingSink(
      policy: SeverityPolicy(overrides: [:]), writer: shuffles.findings.writer(0),
      texts: shuffles.texts, progress: progress)
    let verdicts = VerdictSink(writer: nil, texts: shuffles.texts)
    let context = ReduceContext(
      detection: DetectionPolicy(), apps: apps, shuffles: shuffles, findings: findings,
      verdicts: verdicts, run: run, progress: progress)
    let reducer = KeyReducer(
      context, replays: ReplayAudit(context), repeated: nil, deviceField: "deviceId")
    let judge = SignatureJudge(kernel: saying(verdict), crossCheck: 1)
    let audit = KeyAudit(
      context: context, reducer: reducer, ranges: try RowRanges(shuffles.byKey),
      blocks: SpareBlocks(plan.blocks, reducers: 1), knownKeys: keys.compactMap(\.imported))
    let error = #expect(throws: AuditError.self) {
      try Crew([judge], leaders: 1).run(run) { (leader) throws(AuditError) in
        try audit.reduce(leader)
      }
    }
    #expect(error?.code == .inconsistent)
    #expect(run.mustStop && progress.findings.load(ordering: .relaxed) == 0)
  }
}
