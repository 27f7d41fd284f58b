import AppAttest
import AuditEngine
import AuditLog
import Foundation
import SignatureBatch

/// Whole attestations with their receipts, in bulk by each arithmetic and one at a time by OpenSSL, on
/// one core.
struct AttestationBench {
  private let verifier: AttestationVerifier
  private var attestations: [(token: [UInt8], record: AttestationRecord)] = []

  /// The largest number of attestations that are measured.
  private static let most = 2_000
  /// The number of those that OpenSSL judges.
  private static let mostByOpenSSL = 100
  private static let rounds = 3

  /// Reads the attestations of a folder.
  ///
  /// - Parameter folder: Forged logs with their anchors.
  init(folder: String) throws {
    let limits = AuditLimits(memory: 1 << 29, jobs: 1, tempDirectory: folder)
    let settings = try AuditConfiguration.forgedLog(in: folder, limits: limits)
    verifier = try AttestationVerifier(
      apps: ConfiguredApps(settings.apps), trustAnchors: settings.trustAnchors,
      receiptAnchors: settings.receiptAnchors)
    let reader = RecordReader(isAppAttestObject: AppAttestSniffer.isAppAttestObject)
    var buffer = ByteBuffer()
    var found: [(token: [UInt8], record: AttestationRecord)] = []
    Self.forEachLine(in: folder + "/logs") { line in
      guard found.count < Self.most, line.state == .whole,
        case .record(.attestation, _) = unsafe reader.read(line.text, into: &buffer),
        let keyID = reader.record.keyID
      else { return }
      let record = reader.record
      let bytes = buffer.storage
      let hash =
        record.clientDataHash.map { Array(bytes[$0]) }
        ?? record.clientData.map { Digest256.sha256(Array(bytes[$0]).span).bytes } ?? []
      guard let identifier = Digest256(Array(bytes[keyID])) else { return }
      found.append(
        (
          Array(bytes[record.token]),
          AttestationRecord(
            keyIdentifier: identifier, clientDataHash: hash,
            appID: record.appID.map { String(decoding: bytes[$0], as: UTF8.self) },
            time: record.time)
        ))
    }
    attestations = found
  }

  private static func forEachLine(in folder: String, _ body: @escaping (LogLine) -> Void) {
    let pool = BatchPool(batchBytes: 1 << 20)
    let reader = SourceReader(lineLimit: 4 << 20, windowLimit: 128 << 20, pool: pool)
    for source in InputPlan.sources([folder], standardInputName: "-") {
      let output = SourceReader.Output(
        batch: { batch in
          batch.forEachLine(limit: 4 << 20, body)
          pool.giveBack(batch)
        }, damage: { _ in }, progress: { _ in }, mustStop: { false })
      _ = reader.read(source, index: 0, to: output)
    }
  }

  /// Measures them in bulk and by OpenSSL. Returns the line that reports both.
  func measure() throws -> String {
    let slow = Double(byOpenSSL())
    var read = 0
    var text = ""
    for (name, arithmetic) in KernelBench.kernels {
      var quick = Double.infinity
      for _ in 0..<Self.rounds {
        let round = try inBulk(arithmetic)
        (quick, read) = (min(quick, round.nanoseconds), round.count)
      }
      text += String(format: "%@ %.1f µs each in bulk, ", name, quick / 1e3)
    }
    return
      "  \(read) of \(attestations.count) attestations with receipts need no OpenSSL: " + text
      + String(format: "%.0f µs by OpenSSL\n", slow / 1e3)
  }

  /// Returns the nanoseconds for each attestation, by OpenSSL.
  private func byOpenSSL() -> Int {
    let part = attestations.prefix(Self.mostByOpenSSL)
    let start = StageClock.now
    for (token, record) in part { _ = verifier.judge(token: token.span, of: record) }
    return (StageClock.now - start) / max(part.count, 1)
  }

  /// Measures the attestations that need no OpenSSL: reading, checking their points, and verifying the
  /// signatures of all by their keys. Returns the nanoseconds for each, and their number.
  private func inBulk(_ arithmetic: BatchArithmetic) throws -> (nanoseconds: Double, count: Int) {
    let start = StageClock.now
    // In groups as an audit makes them.
    var groups: [(key: SigningKey, signatures: [PendingSignature])] = []
    var read = 0
    for (token, record) in attestations {
      guard let quick = verifier.read(token: token.span, of: record),
        let key = quick.judgement.publicKey, SignatureCurve.p256.isPoint(key.span)
      else { continue }
      read += 1
      for signature in quick.signatures {
        let group = groups.firstIndex { $0.key == signature.key } ?? groups.count
        if group == groups.count { groups.append((signature.key, [])) }
        groups[group].signatures.append(signature)
      }
    }
    var time = StageClock.now - start
    for (key, signatures) in groups { time += try self.time(key, signatures, arithmetic) }
    guard read > 0 else { throw BenchError(context: "no attestation has the ordinary form") }
    return (Double(time) / Double(read), read)
  }

  /// Returns the nanoseconds that signatures of one key take. All of them have to hold, over one of
  /// their digests; those that do not hold over the first are tried over the next, as in an audit.
  private func time(
    _ key: SigningKey, _ signatures: [PendingSignature], _ arithmetic: BatchArithmetic
  ) throws -> Int {
    let curve: SignatureCurve = key.curve == .p256 ? .p256 : .p384
    // The tables of P-256 are those of the assertions.
    let width = curve == .p256 ? BaseTables.usualWidth : KeyTables.usualWidth
    guard let base = BaseTables(curve: curve, arithmetic: arithmetic, width: width),
      let tables = KeyTables(of: key.coordinates.span, for: base),
      var verifier = BatchVerifier(tables: base, arenaBytes: base.leastArenaBytes)
    else { throw BenchError(context: "no memory for the batch verifier") }
    let start = StageClock.now
    var left = signatures
    var first = 0
    while !left.isEmpty {
      let last = first + curve.signatureBytes
      guard left.allSatisfy({ last <= $0.numbers.count }) else {
        throw BenchError(context: "the batch verifier refuses a signature of the forged logs")
      }
      let numbers = left.flatMap { $0.numbers[first..<last] }
      var verdicts = [UInt8](repeating: 0, count: left.count)
      var output = verdicts.mutableSpan
      verifier.verify(by: tables, signatures: numbers.span, verdicts: &output)
      left = zip(left, verdicts).filter { $1 != BatchVerdict.valid.rawValue }.map(\.0)
      first = last
    }
    return StageClock.now - start
  }
}
