import Foundation
import Synchronization
import Testing

@testable import AuditLog

/// A ledger in memory, and the nights that go by it.
final class Nights: InputLedger {
  private struct State {
    var inputs: [AccountedInput] = []
    var stamps: [FileStamp: UInt32] = [:]
    /// What is kept of inputs (``InputLedger/lines(of:)``), by their sources.
    var lines: [UInt32: [UInt64]] = [:]
    var next: UInt32 = 0
    var headQuestions = 0
  }

  private let state = Mutex(State())
  private let keepsLines: Bool
  private let whenAsked: @Sendable () throws -> Void

  /// Makes an empty ledger. It keeps the lines of damaged inputs if `keepsLines` is true. It calls `whenAsked`
  /// before each answer to a question for beginnings.
  init(keepsLines: Bool = false, whenAsked: @escaping @Sendable () throws -> Void = {}) {
    self.keepsLines = keepsLines
    self.whenAsked = whenAsked
  }

  /// So many times a file was asked for by its head: files that were looked through.
  var headQuestions: Int { state.withLock { $0.headQuestions } }

  func input(content sha256: [UInt8]) throws -> AccountedInput? {
    state.withLock { $0.inputs.first { $0.sha256 == sha256 } }
  }

  func input(untouched stamp: FileStamp) throws -> AccountedInput? {
    state.withLock { state in
      state.stamps[stamp].flatMap { number in state.inputs.first { $0.source == number } }
    }
  }

  func beginnings(head: [UInt8]?, stamp: FileStamp) throws -> [AccountedInput] {
    try whenAsked()
    return state.withLock { state in
      state.headQuestions += 1
      let related = Set(
        state.stamps.compactMap { other, number in
          other.path == stamp.path || [other.device, other.inode] == [stamp.device, stamp.inode]
            ? number : nil
        })
      return Array(
        state.inputs.filter { related.contains($0.source) || (head != nil && $0.head == head) }
          .sorted { $0.bytes > $1.bytes }.prefix(64))
    }
  }

  func lines(of source: UInt32) throws -> [UInt64] { state.withLock { $0.lines[source] ?? [] } }

  func damaged() throws -> [AccountedInput] {
    state.withLock { $0.inputs.filter { $0.isDamaged && !$0.isReplaced } }
  }

  /// The results of one night.
  struct Night {
    var accounted: AccountedSources
    /// The content read of each source, in their order.
    var seen: [SeenSource]

    var origins: [LogSource.Origin] { accounted.sources.map(\.origin) }
    var lines: [SeenLine] { seen.flatMap(\.lines) }
    var texts: [String] { lines.map(\.string) }
    /// The offset that each source is read from.
    var starts: [UInt64?] { accounted.sources.map { $0.part?.from } }
    var notices: [String] { InputNotices.lines(accounted) }
  }

  /// Runs a night in which everything is remembered, an hour after the files were written unless
  /// `now` (milliseconds since 1970) says otherwise.
  func run(
    _ inputs: [String], settle: Int64 = 600_000, now: Int64? = nil, jobs: Int = 2,
    batchBytes: Int = 4096, windowLimit: Int = 128 << 20
  ) throws -> Night {
    let accounting = InputAccounting(ledger: self, settle: settle, now: now ?? Self.later)
    var accounted = try accounting.account(
      InputPlan.sources(inputs, standardInputName: "-", comparesBytes: false),
      Self.pass(jobs: jobs, windowLimit: windowLimit))
    accounted.number(from: state.withLock { $0.next })
    let seen = accounted.sources.map {
      read($0, batchBytes: batchBytes, windowLimit: windowLimit)
    }
    for (source, seen) in zip(accounted.sources, seen) where source.part != nil {
      #expect(!seen.summary.hasChanged && seen.summary.contentSHA256 == source.part?.sha256)
    }
    let result = accounted
    state.withLock { state in
      state.inputs += result.fresh.map(\.input)
      for entry in result.fresh where keepsLines || !entry.input.isDamaged {
        state.lines[entry.input.source] = entry.digests
      }
      let replaced = Set(result.replaced.map(\.source))
      for index in state.inputs.indices where replaced.contains(state.inputs[index].source) {
        state.inputs[index].isReplaced = true
      }
      for entry in result.fresh + result.copies + result.known {
        if let stamp = entry.stamp { state.stamps[stamp] = entry.input.source }
      }
      state.next += UInt32(result.sources.count)
    }
    return Night(accounted: accounted, seen: seen)
  }

  /// Returns the sources that a run that remembers nothing recognises.
  func recognise(_ inputs: [String]) throws -> RecognisedSources {
    try InputAccounting(ledger: self, settle: 0, now: Self.later).recognise(
      InputPlan.sources(inputs, standardInputName: "-"), Self.pass())
  }

  static func pass(jobs: Int = 2, windowLimit: Int = 128 << 20) -> InputAccounting.Pass {
    InputAccounting.Pass(
      jobs: jobs, windowLimit: windowLimit, lineLimit: 4 << 20,
      reader: { RecordReader { _ in false } }, progress: { _ in }, mustStop: { false })
  }

  private static var later: Int64 { Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000 }
}

/// Returns lines of some hundred bytes, each a record with its number.
func records(_ range: Range<Int>) -> String {
  range.map { "{\"n\":\($0),\"x\":\"\(String(repeating: "y", count: 90))\"}\n" }.joined()
}
