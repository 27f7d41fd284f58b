import AuditLog
import RowShuffle
import Testing

@testable import AuditEngine

@Suite struct `Memory plan` {
  private let memories = [
    0, 1, 64 << 20, 65 << 20, 100 << 20, (256 << 20) - 1, 256 << 20, 300 << 20, 512 << 20, 1 << 30,
    4 << 30, 64 << 30, 1 << 40, 1 << 50,
  ]

  /// Returns the bytes that a run is planned to take.
  private func total(_ plan: MemoryPlan, jobs: Int) -> Int {
    let rows =
      plan.keyShuffle + plan.hashShuffle + plan.challenges + plan.findings
      + plan.repeatedHashes
    let attestations =
      plan.waitingBytes > 0 ? jobs * (plan.waitingBytes + MemoryPlan.attestationVerifierBytes) : 0
    let reading = max(batches(plan, jobs: jobs), verifying(plan, jobs: jobs))
    return MemoryPlan.baseline + reading + attestations + rows + plan.keys + plan.rejects
      + plan.builds + plan.verdicts + plan.sharedRows
  }

  /// Returns the bytes of lines on their way from the readers.
  private func batches(_ plan: MemoryPlan, jobs: Int) -> Int {
    (jobs + 2 * plan.readers + plan.waitingBatches) * plan.batchBytes + plan.readers * (8 << 20)
  }

  /// Returns the bytes of verifiers and of blocks, of which one is being filled, and one reduced.
  private func verifying(_ plan: MemoryPlan, jobs: Int) -> Int {
    let isTiny = plan.blocks.capacity == MemoryPlan.leastBlockBytes
    return isTiny
      ? 0 : (plan.blocks.inFlight + 2) * plan.blocks.capacity + jobs * plan.arenaBytes
  }

  @Test(arguments: [1, 2, 3, 4, 8, 16, 32, 64, 96], [false, true])
  func `all budgets together are within the bound`(_ jobs: Int, _ verdicts: Bool) {
    for memory in memories {
      let plan = MemoryPlan(memory: memory, jobs: jobs, verdicts: verdicts)
      let bound = max(memory, MemoryPlan.minimum)
      #expect(total(plan, jobs: jobs) <= bound, "\(memory) bytes")
      // Nor is memory left lying about: a third is used for rows at least where there is plenty.
      if memory >= 1 << 30 { #expect(total(plan, jobs: jobs) >= bound / 3) }
    }
  }

  @Test(arguments: [1, 2, 8, 64])
  func `every shuffle has what it needs to spill`(_ jobs: Int) {
    for memory in memories {
      let plan = MemoryPlan(memory: memory, jobs: jobs, verdicts: true)
      for budget in [
        plan.keyShuffle, plan.hashShuffle, plan.challenges, plan.findings, plan.keys, plan.rejects,
        plan.builds,
        plan.verdicts, plan.deviceShuffle,
      ] {
        #expect(budget >= 128 << 10)
      }
      #expect(plan.readers >= 1 && plan.readers <= jobs && plan.batchBytes >= 1 << 15)
    }
  }

  @Test(arguments: [1, 2, 3, 8, 64])
  func `there are as many reducers as the memory carries, and no more than workers`(_ jobs: Int) {
    for memory in memories {
      let plan = MemoryPlan(memory: memory, jobs: jobs, verdicts: true)
      #expect(plan.reducers >= 1 && plan.reducers <= jobs)
      let isMore = plan.reducers > 1
      let keyRows = plan.keyShuffle + plan.sharedRows
      #expect(!isMore || keyRows / plan.reducers >= MemoryPlan.reducerBytes)
      #expect(plan.groupSorter * plan.reducers <= max(keyRows / 8, 2 << 20))
      // Each has a block of its own, and there are some for all.
      #expect(plan.blocks.inFlight + 1 > plan.reducers)
    }
    #expect(MemoryPlan(memory: 64 << 20, jobs: jobs, verdicts: true).reducers == 1)
    #expect(MemoryPlan(memory: 64 << 30, jobs: jobs, verdicts: true).reducers == jobs)
  }
}

@Suite struct `Memory of many inputs and workers` {
  @Test func `a million inputs take little beside their names`() {
    #expect(MemoryLayout<LogSource>.stride <= 80)
    #expect(MemoryLayout<InputRow>.stride <= 128)
  }
}
