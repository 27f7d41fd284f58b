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
      + plan.verdicts
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
        plan.verdicts, plan.deviceShuffle,
      ] {
        #expect(budget >= 128 << 10)
      }
      #expect(plan.readers >= 1 && plan.readers <= jobs && plan.batchBytes >= 1 << 15)
    }
  }

  @Test(arguments: [1, 2, 3, 8, 64], SignatureVerifier.allCases)
  func `verifiers and their blocks take what the batches of lines took, or little more`(
    _ jobs: Int, _ verifier: SignatureVerifier
  ) {
    for memory in memories {
      let plan = MemoryPlan(memory: memory, jobs: jobs, verdicts: true, verifier: verifier)
      let more = memory < MemoryPlan.smallMemory ? 0 : memory / 16
      #expect(verifying(plan, jobs: jobs) <= batches(plan, jobs: jobs) + more)
      #expect(plan.blocks.capacity > RowRun.maximumRowBytes && plan.blocks.rowLimit > 0)
      #expect(plan.blocks.inFlight > jobs)
    }
  }

  @Test(arguments: [1, 2, 4, 8])
  func `a block holds a batch of signatures where there is memory`(_ jobs: Int) {
    let plan = MemoryPlan(memory: 512 << 20, jobs: jobs, verdicts: false)
    #expect(plan.blocks.capacity == MemoryPlan.bestBlockBytes)
    #expect(plan.blocks.rowLimit == MemoryPlan.blockRows)
  }

  @Test(arguments: [1, 2, 3, 8, 64])
  func `there are as many reducers as the memory carries, and no more than workers`(_ jobs: Int) {
    for memory in memories {
      let plan = MemoryPlan(memory: memory, jobs: jobs, verdicts: true)
      #expect(plan.reducers >= 1 && plan.reducers <= jobs)
      let isMore = plan.reducers > 1
      #expect(!isMore || plan.keyShuffle / plan.reducers >= MemoryPlan.reducerBytes)
      #expect(plan.groupSorter * plan.reducers <= max(plan.keyShuffle / 8, 2 << 20))
      // Each has a block of its own, and there are some for all.
      #expect(plan.blocks.inFlight + 1 > plan.reducers)
    }
    #expect(MemoryPlan(memory: 64 << 20, jobs: jobs, verdicts: true).reducers == 1)
    #expect(MemoryPlan(memory: 64 << 30, jobs: jobs, verdicts: true).reducers == jobs)
  }

  @Test func `verdicts that are not wanted take nothing`() {
    #expect(MemoryPlan(memory: 1 << 30, jobs: 2, verdicts: false).verdicts == 0)
  }

  @Test func `the plan does not depend on anything else`() {
    let plan = MemoryPlan(memory: 1 << 30, jobs: 2, verdicts: true)
    #expect(plan == MemoryPlan(memory: 1 << 30, jobs: 2, verdicts: true))
    #expect(plan.batchBytes == 1 << 19 && plan.readers == 2)
    #expect(MemoryPlan(memory: 64 << 20, jobs: 2, verdicts: true).batchBytes == 1 << 18)
  }
}

@Suite struct `Memory of many inputs and workers` {
  @Test func `the list of inputs is part of the plan`() {
    let few = MemoryPlan(memory: 1 << 30, jobs: 2, verdicts: false)
    let many = MemoryPlan(memory: 1 << 30, jobs: 2, verdicts: false, sources: 200_000)
    #expect(many.keyShuffle < few.keyShuffle - 200_000 * MemoryPlan.sourceBytes / 4)
    let most = MemoryPlan(memory: 1 << 30, jobs: 2, verdicts: false, sources: 10_000_000)
    #expect(most == MemoryPlan(memory: MemoryPlan.minimum, jobs: 2, verdicts: false))
  }

  @Test(arguments: [0, 1, 16_000])
  func `a few thousand inputs do not make a memory a small one`(_ sources: Int) {
    let plan = MemoryPlan(memory: 256 << 20, jobs: 2, verdicts: false, sources: sources)
    #expect(plan.waitingBytes > 0 && plan.batchBytes > 1 << 18)
  }

  @Test(arguments: [1, 2, 4])
  func `attestations wait for others in little memory too`(_ jobs: Int) {
    func waiting(_ mebibytes: Int) -> Int {
      MemoryPlan(memory: mebibytes << 20, jobs: jobs, verdicts: true).waitingBytes
    }
    #expect(waiting(64) == 0)
    #expect(waiting(80) >= 1 << 18 && waiting(128) >= 2 << 20)
    #expect(
      MemoryPlan(memory: 80 << 20, jobs: jobs, verdicts: true).keyShuffle
        >= MemoryPlan(memory: 64 << 20, jobs: jobs, verdicts: true).keyShuffle)
  }

  @Test func `many workers have fewer attestations that wait`() {
    let waiting = [2, 32, 33, 64, 102, 103].map {
      MemoryPlan(memory: 1 << 30, jobs: $0, verdicts: false).waitingBytes
    }
    #expect(waiting[0] == 3 << 20 && waiting[1] == 3 << 20 && waiting[2] < 3 << 20)
    #expect(waiting[3] == 1 << 20 && waiting[4] >= 1 << 18 && waiting[5] == 0)
  }

  @Test func `a memory carries so many workers`() {
    func most(_ memory: Int) -> Int {
      AuditLimits(memory: memory, jobs: 1, tempDirectory: "").mostJobs
    }
    #expect(most(0) == most(64 << 20) && most(64 << 20) == 48)
    #expect(most(256 << 20) == 432)
    #expect(most(1 << 30) >= 1024)
  }

  @Test func `a million inputs take little beside their names`() {
    #expect(MemoryLayout<LogSource>.stride <= 80)
    #expect(MemoryLayout<InputRow>.stride <= 128)
  }
}
