import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AuditEngine

/// The threads that read and decode. One test at a time: a thread that waits here for another one takes a core.
@Suite(.serialized) struct IngestThreadsTests {
  /// Counts without any lock: the threads alone keep its jobs apart.
  private final class Tally {
    var count = 0
    var lasts = 0
  }

  /// Reads `sources` of so many batches each, and returns how many were decoded with each state.
  private func decode(
    jobs: Int, readers: Int, most: Int, sources: Int, batches: Int, isLong: Bool = false
  ) -> [Int] {
    let tallies = (0..<jobs).map { _ in Tally() }
    let threads = IngestThreads(tallies, readers: readers, most: most)
    let next = Atomic<Int>(0)
    let reading = Mutex((now: 0, most: 0))
    threads.run { thread in
      reading.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      while next.add(1, ordering: .relaxed).oldValue < sources {
        for _ in 0..<batches {
          if isLong {
            thread.runWithFirst { $0.count += 1 }
          } else {
            thread.submit { $0.count += 1 }
          }
        }
      }
      reading.withLock { $0.now -= 1 }
    } last: {
      $0.lasts += 1
    }
    #expect(tallies.allSatisfy { $0.lasts == 1 })
    let (now, highest) = reading.withLock { $0 }
    #expect(now == 0 && (1...max(readers, 1)).contains(highest))
    return tallies.map(\.count)
  }

  @Test(arguments: [1, 2, 5, 40], [1, 3, 64])
  func `every batch is decoded once, each state by one thread at a time`(
    _ jobs: Int, _ readers: Int
  ) {
    for most in [0, 1, jobs + 4] {
      for sources in [0, 1, 7] {
        let counts = decode(
          jobs: jobs, readers: readers, most: most, sources: sources, batches: 3000)
        #expect(counts.reduce(0, +) == sources * 3000)
      }
    }
  }

  @Test func `long lines are decoded with the first state, whoever reads them`() {
    #expect(
      decode(jobs: 3, readers: 3, most: 7, sources: 9, batches: 500, isLong: true) == [4500, 0, 0])
  }

  /// A flag that is true once.
  private final class SharedFlag: Sendable {
    private let isSet = Mutex(true)

    func take() -> Bool {
      isSet.withLock { isSet in
        defer { isSet = false }
        return isSet
      }
    }
  }

  /// Runs `body` on a thread that is none of Dispatch's, which keeps these for the jobs.
  private func onOwnThread(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      body()
      isDone.signal()
    }.start()
    isDone.wait()
  }

  /// Submits jobs until another thread takes one.
  private func waitForOther(than thread: IngestThreads<Tally>.Reader) {
    let isOther = Mutex(false)
    let caller = pthread_self()
    while !isOther.withLock({ $0 }) {
      let isDone = DispatchSemaphore(value: 0)
      thread.submit { _ in
        let isSame = pthread_equal(pthread_self(), caller) != 0
        isOther.withLock { $0 = !isSame }
        isDone.signal()
      }
      isDone.wait()
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
  func `one that reads decodes by itself where enough wait`() {
    let threads = IngestThreads([Tally(), Tally()], readers: 1, most: 5)
    let gate = DispatchSemaphore(value: 0)
    let isHeld = DispatchSemaphore(value: 0)
    final class Order: Sendable {
      let numbers = Mutex<[Int]>([])
    }
    let order = Order()
    onOwnThread {
      threads.run { thread in
        waitForOther(than: thread)
        thread.submit { _ in
          isHeld.signal()
          gate.wait()
        }
        isHeld.wait()
        for number in 0..<20 {
          thread.submit { _ in order.numbers.withLock { $0.append(number) } }
        }
        #expect(order.numbers.withLock { $0 } == Array(4..<20))
        gate.signal()
      } last: { _ in
      }
    }
    #expect(order.numbers.withLock { $0 }.sorted() == Array(0..<20))
  }

  @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
  func `what has nothing to read decodes what others read`() {
    let threads = IngestThreads([Tally(), Tally()], readers: 2, most: 6)
    let isFirst = SharedFlag()
    onOwnThread {
      threads.run { thread in
        if isFirst.take() { waitForOther(than: thread) }
      } last: { _ in
      }
    }
    #expect(!isFirst.take())
  }
}
