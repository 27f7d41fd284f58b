internal import Dispatch
internal import Synchronization

/// Some serial Dispatch queues, each with a state of its own that only its jobs touch.
final class WorkerPool<State: AnyObject>: Sendable {
  private struct Worker: @unchecked Sendable {
    // The state is used by the jobs of `queue` only, which run one at a time.
    let state: State
    let queue: DispatchQueue
  }
  private let workers: [Worker]
  private let pending: Mutex<[Int]>

  /// One worker for each state.
  init(label: String, states: [State]) {
    workers = states.map { Worker(state: $0, queue: DispatchQueue(label: label)) }
    pending = Mutex(Array(repeating: 0, count: states.count))
  }

  /// Runs `job` on the worker with the fewest jobs waiting.
  func submit(_ job: @escaping @Sendable (State) -> Void) {
    let index = pending.withLock { pending in
      let index = pending.indices.min { pending[$0] < pending[$1] } ?? 0
      pending[index] += 1
      return index
    }
    let worker = workers[index]
    worker.queue.async {
      job(worker.state)
      self.pending.withLock { $0[index] -= 1 }
    }
  }

  /// Waits until every job submitted so far has ended.
  func drain() {
    for worker in workers { worker.queue.sync {} }
  }
}
