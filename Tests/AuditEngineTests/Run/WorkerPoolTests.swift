import Dispatch
import Glibc
import Synchronization
import Testing

@testable import AuditEngine

@Suite struct `Worker pool` {
  /// Counts without any lock: the pool alone keeps its jobs apart.
  private final class Tally {
    var count = 0
    var last: [Int]
    init(submitters: Int) { last = Array(repeating: -1, count: submitters) }
  }

  @Test(arguments: [1, 2, 5])
  func `jobs of one state never run at once, and none is lost`(_ workers: Int) {
    let submitters = 3
    let jobs = 60_000
    let states = (0..<workers).map { _ in Tally(submitters: submitters) }
    let pool = WorkerPool(label: "test", states: states)
    let total = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: submitters) { submitter in
      for job in 0..<jobs {
        pool.submit { tally in
          // One submitter's jobs on one state run in the order they were submitted in.
          if tally.last[submitter] < job { tally.count += 1 }
          tally.last[submitter] = job
        }
        total.add(1, ordering: .relaxed)
      }
    }
    pool.drain()
    #expect(total.load(ordering: .relaxed) == submitters * jobs)
    // Nobody else has the states any more.
    #expect(states.reduce(0) { $0 + $1.count } == submitters * jobs)
  }

  @Test func `a worker that is busy is passed over`() {
    for _ in 0..<200 {
      let states = [Tally(submitters: 1), Tally(submitters: 1)]
      let pool = WorkerPool(label: "test", states: states)
      let gate = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      pool.submit { _ in gate.wait() }
      // The other worker takes this one, although the first is held up.
      pool.submit { _ in done.signal() }
      done.wait()
      gate.signal()
      pool.drain()
    }
  }

  @Test func `no job waits for a worker that is held up`() {
    let pool = WorkerPool(
      label: "test", states: [Tally(submitters: 1), Tally(submitters: 1)])
    let gate = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    pool.submit { _ in gate.wait() }
    for _ in 0..<100 { pool.submit { _ in done.signal() } }
    for _ in 0..<100 { #expect(done.wait(timeout: .now() + 60) == .success) }
    gate.signal()
    pool.drain()
  }

  private final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .sequentiallyConsistent) }
    func add() { value.add(1, ordering: .sequentiallyConsistent) }
  }

  /// Takes its time to go, and says when it has gone.
  private final class Slow: Sendable {
    private let gone: Counter

    init(_ gone: Counter) {
      self.gone = gone
    }

    deinit {
      usleep(20_000)
      gone.add()
    }
  }

  @Test func `whoever waits for workers waits for what their jobs held`() {
    for _ in 0..<20 {
      let gone = Counter()
      let pool = WorkerPool(label: "test", states: [Tally(submitters: 1), Tally(submitters: 1)])
      for _ in 0..<2 {
        let slow = Slow(gone)
        pool.submit { _ in _ = slow }
      }
      pool.drain()
      #expect(gone.count == 2)
    }
  }

  @Test func `draining an idle pool returns`() {
    WorkerPool(label: "test", states: [Tally(submitters: 1)]).drain()
  }
}
