import AppAttest
import AuditEngine
import AuditLog
import Foundation

/// An estimate of the time that an audit of some logs would take, from a sample of them and from
/// measurements.
struct InputEstimate {
  /// The part of a record's cost that grows with its length: decompression, hashing, parsing.
  private static let shareOfBytes = 0.5
  /// The decompressed bytes of each file that are examined.
  private static let sampleBytes = 32 << 20

  /// The cost of each kind of work, in nanoseconds of one core.
  struct Costs {
    /// The cost of a record of ``recordBytes`` bytes, without its signature or attestation.
    var record: Double
    var recordBytes: Double
    /// The cost of the signatures of one attestation in bulk, and of reading it.
    var attestation: Double
    var kernel: [KernelBench.Row]

    /// Returns the cost of one signature if keys have about so many.
    func signature(signaturesPerKey: Double) -> Double {
      let row =
        kernel.last { Double($0.signaturesPerKey) <= signaturesPerKey } ?? kernel.first
      return row.flatMap { $0.batch.max() }.map { 1e9 / $0 } ?? 0
    }
  }

  private(set) var bytes = 0.0
  private(set) var records = 0.0
  private(set) var attestations = 0.0
  private(set) var assertions = 0.0
  /// The bytes of all records, decompressed.
  private var lineBytes = 0.0
  private var keys = Set<[UInt8]>()
  private var sampledAssertions = 0.0

  /// Samples every file of `inputs`: files, folders or globs.
  init(_ inputs: [String]) throws {
    let sources = InputPlan.sources(inputs, standardInputName: "-")
    let reader = RecordReader(isAppAttestObject: AppAttestSniffer.isAppAttestObject)
    for (index, source) in sources.enumerated() {
      if case .duplicate = source.origin { continue }
      guard case .file(let path) = source.origin else {
        throw BenchError(context: "\(source.name): only files can be sampled")
      }
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      var sample = Sample()
      let pool = BatchPool(batchBytes: 1 << 20)
      var buffer = ByteBuffer()
      let output = SourceReader.Output(
        batch: { batch in
          batch.forEachLine(limit: 4 << 20) { line in sample.take(line, reader, &buffer) }
          pool.giveBack(batch)
        }, damage: { _ in }, progress: { sample.read += Double($0) },
        mustStop: { sample.lineBytes >= Double(Self.sampleBytes) })
      _ = SourceReader(lineLimit: 4 << 20, windowLimit: 128 << 20, pool: pool)
        .read(source, index: UInt32(index), to: output)
      let share = sample.read > 0 ? Double(size) / sample.read : 0
      bytes += Double(size)
      records += sample.records * share
      lineBytes += sample.lineBytes * share
      attestations += sample.attestations * share
      assertions += sample.assertions * share
      sampledAssertions += sample.assertions
      keys.formUnion(sample.keys)
    }
  }

  /// The contents of one file's first lines.
  private struct Sample {
    var read = 0.0
    var lineBytes = 0.0
    var records = 0.0
    var attestations = 0.0
    var assertions = 0.0
    var keys = Set<[UInt8]>()

    mutating func take(_ line: LogLine, _ reader: RecordReader, _ buffer: inout ByteBuffer) {
      records += 1
      unsafe lineBytes += Double(line.text.count + 1)
      guard line.state == .whole,
        case .record(let record) = unsafe reader.read(line.text, into: &buffer)
      else { return }
      switch record.kind {
      case .attestation: attestations += 1
      case .assertion:
        assertions += 1
        if let key = record.keyID { keys.insert(Array(buffer.storage[key])) }
      case .challenge: break
      }
    }
  }

  /// The number of signatures of a key, from the sample. It is at most the number to be expected of
  /// the whole.
  var signaturesPerKey: Double { sampledAssertions / Double(max(keys.count, 1)) }

  /// The mean length of a record's line, in bytes.
  var bytesPerRecord: Double { lineBytes / max(records, 1) }

  /// Returns the seconds on `jobs` cores that are busy throughout.
  func seconds(_ costs: Costs, jobs: Int) -> Double {
    let length = bytesPerRecord / max(costs.recordBytes, 1)
    let record = costs.record * (1 - Self.shareOfBytes + Self.shareOfBytes * length)
    let work =
      records * record + attestations * costs.attestation
      + assertions * costs.signature(signaturesPerKey: signaturesPerKey)
    return work / 1e9 / Double(jobs)
  }

  func text(_ costs: Costs, jobs: Int) -> String {
    let size = String(format: "%.1f MiB", bytes / 0x1p20)
    let time = seconds(costs, jobs: jobs)
    let span =
      time < 120
      ? String(format: "%.1f seconds", time) : String(format: "%.1f minutes", time / 60)
    return """
        \(size), about \(BenchTable.number(records)) records: \(BenchTable.number(assertions)) \
      assertions, \(BenchTable.number(attestations)) attestations;
        \(String(format: "%.1f", signaturesPerKey)) signatures a key in the sample
        about \(span) on \(jobs) cores

      """
  }
}
