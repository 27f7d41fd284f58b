import Dispatch
import Synchronization
import Testing

@testable import AuditEngine
@testable import AuditLog

/// The bound on the batches that wait for workers or are with them.
struct BatchesInFlightTests {
  @Test(arguments: [(64, 1), (65, 2), (128, 2), (129, 3), (1 << 20, 3)])
  func `a batch has as many places as it has bytes for, and no more than there are`(
    _ capacity: Int, _ places: Int
  ) {
    let inFlight = BatchesInFlight(most: 3, batchBytes: 64)
    #expect(inFlight.enter(LineBatch(capacity: capacity)) == places)
    inFlight.leave(places)
  }

  @Test func `readers of long batches wait for each other, and all get in`() {
    let most = 5
    let inFlight = BatchesInFlight(most: most, batchBytes: 64)
    let held = Mutex((now: 0, most: 0))
    DispatchQueue.concurrentPerform(iterations: 8) { reader in
      for round in 0..<200 {
        let places = inFlight.enter(LineBatch(capacity: 64 * (1 + (reader + round) % 7)))
        held.withLock {
          $0.now += places
          $0.most = max($0.most, $0.now)
        }
        held.withLock { $0.now -= places }
        inFlight.leave(places)
      }
    }
    let (now, highest) = held.withLock { $0 }
    #expect(now == 0)
    #expect((1...most).contains(highest))
  }
}
