import Basics
import Files
import Synchronization
import Testing

@testable import AuditEngine

@Suite struct `Reducer pool` {
  private final class Counter: Sendable {
    let calls = Atomic<Int>(0)
  }

  @Test(arguments: [0, 1, 2, 9])
  func `each reducer is called once`(_ count: Int) throws {
    let reducers = (0..<count).map { _ in Counter() }
    try ReducerPool(Cancellation<AuditError>(), reducers).run {
      $0.calls.add(1, ordering: .relaxed)
    }
    #expect(reducers.allSatisfy { $0.calls.load(ordering: .relaxed) == 1 })
  }

  @Test(arguments: [0, 3])
  func `one that fails stops the run, and the error is thrown`(_ failing: Int) {
    let run = Cancellation<AuditError>()
    let error = #expect(throws: AuditError.self) {
      try ReducerPool(run, Array(0..<4)).run { (reducer) throws(AuditError) in
        if reducer == failing { throw AuditError(.inconsistent, "reducer \(reducer)") }
      }
    }
    #expect(error == AuditError(.inconsistent, "reducer \(failing)"))
    #expect(run.mustStop)
  }

  @Test func `a run that was stopped before says why`() {
    let run = Cancellation<AuditError>()
    run.stop(AuditError(.cancelled, "the run was cancelled"))
    let error = #expect(throws: AuditError.self) { try ReducerPool(run, [1]).run { _ in } }
    #expect(error?.code == .cancelled)
  }
}

@Suite struct `Spare blocks` {
  private let plan = BlockPlan(capacity: 1 << 16, rowLimit: 4, inFlight: 6)

  @Test(arguments: [(1, 6), (2, 5), (7, 0), (20, 0)])
  func `reducers share what none has of its own`(_ reducers: Int, _ shared: Int) throws {
    let blocks = SpareBlocks(plan, reducers: reducers)
    var taken: [SignatureBlock] = []
    while taken.count <= plan.inFlight, let block = blocks.take() { taken.append(block) }
    #expect(taken.count == shared)
    #expect(blocks.take() == nil)
    for block in taken { blocks.giveBack(block) }
    // They are the same blocks again, and no more of them.
    for _ in taken {
      let block = try #require(blocks.take())
      #expect(taken.contains { $0 === block })
    }
    #expect(blocks.take() == nil)
  }
}
