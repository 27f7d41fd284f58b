internal import AppAttest
internal import AuditLog
internal import Basics
internal import Compression
internal import Dispatch
internal import RowShuffle
internal import Synchronization

/// The first stage: threads (``Crew``) read the sources, decode lines, and fill the shuffles.
struct Ingest {
  let run: AuditRun
  let plan: MemoryPlan

  private var limits: AuditLimits { run.configuration.limits }
  private var progress: AuditProgress { run.progress }

  /// The outcome of all sources. There is one list of them, since they may be very many.
  struct Outcome: Sendable {
    var inputs: [InputRow]
    var changes: [Int: SourceChange] = [:]

    fileprivate init(_ sources: [LogSource]) {
      let limit = InputRow.hourLimit(sources: sources.count)
      inputs = sources.map {
        var row = InputRow($0.name, .ok)
        row.hours = TimeBins(kinds: 1, limit: limit)
        return row
      }
    }
  }

  func read(_ workers: [IngestWorker], streams: FindingSink) throws(AuditError) -> Outcome {
    let pool = BatchPool(batchBytes: plan.batchBytes)
    let crew = Crew(
      workers, leaders: min(plan.readers, max(run.sources.count, 1)), most: plan.waitingBatches)
    let next = Atomic<Int>(0)
    let outcome = Mutex(Outcome(run.sources))
    let settlements = Mutex([Int: SourceSettlement]())
    let streams = Mutex(SendableSink(sink: streams))
    /// Adds to a source's facts, returns the rejects to report, and reports the rest in the end.
    @Sendable func settle(
      _ index: Int, _ change: (inout SourceSettlement) -> [RejectedLine]
    ) -> [RejectedLine] {
      let (lines, result) = settlements.withLock { settlements in
        let lines = change(&settlements[index, default: SourceSettlement(limit: limits.rejects)])
        let result = settlements[index]?.result
        if result != nil { settlements[index] = nil }
        return (lines, result)
      }
      guard let result, !result.shapes.isEmpty || result.further != nil else { return lines }
      streams.withLock { streams in
        report { () throws(AuditError) in
          for shape in result.shapes {
            try streams.sink.emit(
              notAudited: shape, source: run.numbers[index], name: run.sources[index].name)
          }
          // All rejects of a source beyond the limit are one finding, at the first of them.
          guard let (line, count) = result.further else { return }
          try streams.sink.emit(
            reject: line,
            "\(line.reject.reason) The input has \(limits.rejects) lines before it that are not "
              + "records (limits.rejects); this finding counts all further ones.", count: count)
        }
      }
      return lines
    }
    try crew.run(run.state) { thread in
      let reader = SourceReader(
        lineLimit: limits.lineBytes, windowLimit: limits.zstdWindowBytes, pool: pool,
        tokenLength: AppAttestSniffer.tokenFront, hashesBeside: { thread.hasHelper })
      let times = PreviousTimes(
        run.configuration.schema, lineLimit: limits.lineBytes,
        isAppAttestObject: AppAttestSniffer.isAppAttestObject)
      while !run.state.mustStop {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < run.sources.count else { return }
        let source = run.sources[index]
        var batches: UInt64 = 0
        var decoding = 0
        var isRepaired = true
        let output = SourceReader.Output(
          batch: { batch in
            batches += 1
            times?.set(batch)
            @Sendable func process(_ worker: IngestWorker) {
              let start = StageClock.now
              let count = worker.process(batch)
              progress.clock.decoding.add(since: start)
              outcome.withLock {
                $0.inputs[index].lines += count.records.lines
                $0.inputs[index].unreadableLines += count.records.unreadable
                $0.inputs[index].knownLines += count.records.known
                $0.inputs[index].blankLines += count.records.blank
                $0.inputs[index].hours.add(count.hours)
              }
              worker.report(settle(index) { $0.add(count.part, sequence: batch.sequence) })
              pool.giveBack(batch)
            }
            let start = StageClock.now
            defer { decoding += StageClock.now - start }
            // Memory for a line that is longer than batches are is needed once, and not by each worker.
            if batch.capacity > plan.batchBytes {
              thread.runWithFirst(process)
            } else {
              thread.submit(process)
            }
          },
          damage: { damage in
            if source.part?.repaired.contains(damage.byteOffset) == true { return }
            isRepaired = false
            streams.withLock { streams in
              report { () throws(AuditError) in
                try streams.sink.emit(
                  FindingCode(damage.kind), stream: run.numbers[index], source: source.name,
                  byteOffset: damage.byteOffset, damage.detail)
              }
            }
          },
          progress: { progress.bytesRead.add($0, ordering: .relaxed) },
          mustStop: { run.state.mustStop })
        let start = StageClock.now
        let summary = reader.read(source, index: run.numbers[index], to: output)
        progress.clock.reading.add(since: start + decoding)
        if summary.lacksDescriptors {
          run.state.stop(AuditError(source: source))
        } else if summary.hasChanged {
          run.state.stop(AuditError(.inputChanged, "\(source.name) changed while it was read"))
        }
        _ = settle(index) { [batches] in
          $0.end(batches: batches)
          return []
        }
        outcome.withLock { [isRepaired] in
          $0.inputs[index].end(source, summary)
          $0.inputs[index].isRepaired = isRepaired && summary.damage != nil
          $0.changes[index] = summary.change
        }
      }
    } last: { (worker) throws(AuditError) in
      let start = StageClock.now
      defer { progress.clock.decoding.add(since: start) }
      try worker.finish()
    }
    return outcome.withLock { $0 }
  }

  /// The sink of stream findings; used under its mutex only.
  private struct SendableSink: @unchecked Sendable {
    let sink: FindingSink
  }

  /// Writes findings; a failure stops the run.
  private func report(_ emit: () throws(AuditError) -> Void) {
    do throws(AuditError) { try emit() } catch { run.state.stop(error) }
  }
}

extension FindingCode {
  init(_ kind: StreamDamage.Kind) {
    self =
      switch kind {
      case .truncated: .streamTruncated
      case .corrupt: .streamCorrupt
      case .unreadable: .streamUnreadable
      }
  }
}

extension InputRow {
  fileprivate mutating func end(_ source: LogSource, _ summary: SourceSummary) {
    bytes = summary.bytes
    decompressedBytes = summary.decompressedBytes
    sha256 = summary.sha256.flatMap { Digest256($0) }
    isGrown = source.part?.passed.first?.lowerBound == 1
    hasChanged = summary.change.map { $0 != .grown } ?? false
    status =
      switch (source.origin, summary.damage) {
      case (.duplicate, _): .duplicate
      case (.known, _): .known
      case (.waiting, _): .waiting
      case (_, nil): .ok
      case (_, .truncated): .truncated
      case (_, .corrupt): .corrupt
      case (_, .unreadable): .unreadable
      }
  }
}

/// The inputs that a run accounts for, while their lines are read: from any thread.
final class AccountedLines: Sendable {
  private let accounted: Mutex<ReadInputs>

  init(_ inputs: ReadInputs) {
    accounted = Mutex(inputs)
  }

  func take(_ lines: ReadLines, of source: UInt32) {
    accounted.withLock { $0.take(lines, of: source) }
  }

  var inputs: ReadInputs { accounted.withLock { $0 } }
}
