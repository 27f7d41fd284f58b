internal import AuditEngine
internal import Dispatch
internal import Synchronization

/// A writer of `keys.csv` and of the page's keys, in batches on a queue of its own, for one thread.
final class KeysWriter: @unchecked Sendable {
  /// The number of rows of a batch, and the bytes of texts that end one before.
  private static let batchRows = 512
  private static let batchTextBytes = 256 << 10
  /// The number of batches that wait or are written.
  private static let mostBatches = 4

  // The jobs of `queue` alone use these three until all have ended.
  private var file: OutputFile
  private var page: ReportPage?
  private var failure: (any Error)?
  private let hasFailed = Atomic<Bool>(false)

  private let queue = DispatchQueue(label: "attest-audit.keys", qos: .userInitiated)
  private let places = DispatchSemaphore(value: KeysWriter.mostBatches)
  private var batch: [KeyRow] = []
  private var batchText = 0

  init(_ file: consuming OutputFile, _ page: consuming ReportPage?) {
    self.file = file
    self.page = page
    KeyColumns.all.writeHeader(to: &self.file.rows)
  }

  /// Takes a row. Rows come in order of the key identifier.
  func add(_ row: KeyRow) throws {
    batch.append(row)
    batchText += KeyColumns.all.textBytes(row)
    if batch.count >= Self.batchRows || batchText >= Self.batchTextBytes { try submit() }
  }

  private func submit() throws {
    if hasFailed.load(ordering: .relaxed) { try check() }
    var rows: [KeyRow] = []
    rows.reserveCapacity(Self.batchRows)
    swap(&rows, &batch)
    batchText = 0
    places.wait()
    queue.async { [self, rows] in
      write(rows)
      places.signal()
    }
  }

  /// Writes a batch, unless one before it failed.
  private func write(_ rows: [KeyRow]) {
    guard failure == nil else { return }
    do {
      for row in rows {
        page?.add(row)
        KeyColumns.all.write(csv: row, to: &file.rows)
        try file.flushIfFull()
      }
    } catch {
      failure = error
      hasFailed.store(true, ordering: .relaxed)
    }
  }

  /// Waits for all batches, and throws where one of them failed.
  private func check() throws {
    drain()
    if let failure { throw failure }
  }

  /// Waits until no batch is written any more.
  func drain() { queue.sync {} }

  /// Ends the file. Returns its manifest entry and the page.
  func finish() throws -> (entry: ManifestEntry, page: ReportPage?) {
    try submit()
    try check()
    return (try file.end(), page)
  }
}
