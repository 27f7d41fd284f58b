import Basics
import Dispatch
import Files
import Foundation
import Synchronization
import Testing

@testable import AuditEngine

/// The threads of a stage. One test at a time: a thread that waits here for another one takes a core.
@Suite(.serialized) struct CrewTests {
  /// Counts without any lock: the threads alone keep its jobs apart.
  private final class Tally {
    var count = 0
    var lasts = 0
  }

  private let run = Cancellation<AuditError>()

  /// Reads `sources` of so many batches each, and returns how many were decoded with each state.
  private func decode(
    jobs: Int, leaders: Int, most: Int, sources: Int, batches: Int, isLong: Bool = false
  ) throws -> [Int] {
    let tallies = (0..<jobs).map { _ in Tally() }
    let next = Atomic<Int>(0)
    let leading = Mutex((now: 0, most: 0))
    try Crew(tallies, leaders: leaders, most: most).run(run) { leader in
      leading.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      while next.add(1, ordering: .relaxed).oldValue < sources {
        for _ in 0..<batches {
          if isLong {
            leader.runWithFirst { $0.count += 1 }
          } else {
            leader.submit { $0.count += 1 }
          }
        }
      }
      leading.withLock { $0.now -= 1 }
    } last: {
      $0.lasts += 1
    }
    #expect(tallies.allSatisfy { $0.lasts == 1 })
    let (now, highest) = leading.withLock { $0 }
    #expect(now == 0 && (1...max(leaders, 1)).contains(highest))
    return tallies.map(\.count)
  }

  @Test(arguments: [1, 2, 40], [1, 64])
  func `every batch is decoded once, each state by one thread at a time`(
    _ jobs: Int, _ leaders: Int
  ) throws {
    for most in [0, jobs + 4] {
      for sources in [0, 7] {
        let counts = try decode(
          jobs: jobs, leaders: leaders, most: most, sources: sources, batches: 3000)
        #expect(counts.reduce(0, +) == sources * 3000)
      }
    }
  }

  @Test func `long lines are decoded with the first state, whoever reads them`() throws {
    #expect(
      try decode(jobs: 3, leaders: 3, most: 7, sources: 9, batches: 500, isLong: true)
        == [4500, 0, 0])
  }

  @Test(arguments: [0, 3])
  func `a thread that fails stops the run, and the error is thrown`(_ failing: Int) {
    let crew = Crew((0..<4).map { _ in Tally() }, leaders: 4)
    let error = #expect(throws: AuditError.self) {
      try crew.run(run) { (leader) throws(AuditError) in
        if leader.number == failing { throw AuditError(.inconsistent, "reducer \(failing)") }
      }
    }
    #expect(error == AuditError(.inconsistent, "reducer \(failing)") && run.mustStop)
  }

  @Test func `of several reasons to stop the first counts`() throws {
    #expect(!run.mustStop)
    try run.check()
    run.stop(AuditError(.cancelled, "first"))
    run.stop(AuditError(.inconsistent, "second"))
    #expect(run.mustStop)
    #expect(throws: AuditError(.cancelled, "first")) { try run.check() }
    #expect(throws: AuditError(.cancelled, "first")) { try run.check() }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
  func `one that leads carries out its jobs where enough wait`() {
    // The thread is none of Dispatch's, which keeps these for the jobs.
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      leadUntilEnoughWait()
      isDone.signal()
    }.start()
    isDone.wait()
  }

  private func leadUntilEnoughWait() {
    final class Shared: Sendable {
      let isHelped = Mutex(false)
      let order = Mutex<[Int]>([])
    }
    let shared = Shared()
    try? Crew([Tally(), Tally()], leaders: 1, most: 5).run(run) { leader in
      // Jobs are carried out here until the other thread takes one.
      let caller = pthread_self()
      while !shared.isHelped.withLock({ $0 }) {
        let isDone = DispatchSemaphore(value: 0)
        leader.submit { _ in
          shared.isHelped.withLock { $0 = pthread_equal(pthread_self(), caller) == 0 }
          isDone.signal()
        }
        isDone.wait()
      }
      let (gate, isHeld) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      leader.submit { _ in
        isHeld.signal()
        gate.wait()
      }
      isHeld.wait()
      for number in 0..<20 {
        leader.submit { _ in shared.order.withLock { $0.append(number) } }
      }
      #expect(shared.order.withLock { $0 } == Array(4..<20))
      gate.signal()
    }
    #expect(shared.order.withLock { $0 }.sorted() == Array(0..<20))
  }
}

@Suite struct `Spare blocks` {
  private let plan = BlockPlan(capacity: 1 << 16, rowLimit: 4, inFlight: 6)

  @Test(arguments: [(1, 6), (2, 5), (7, 0), (20, 0)])
  func `reducers share what none has of its own`(_ reducers: Int, _ shared: Int) {
    let blocks = SpareBlocks(plan, reducers: reducers)
    for _ in 0..<2 {
      var taken: [SignatureBlock] = []
      while taken.count <= plan.inFlight, let block = blocks.take() { taken.append(block) }
      #expect(taken.count == shared)
      for block in taken { blocks.giveBack(block) }
    }
  }
}
