internal import Dispatch
internal import Synchronization

/// Some serial Dispatch queues, each with a state of its own that only its jobs touch.
final class WorkerPool<State: AnyObject>: Sendable {
  private final class Worker: @unchecked Sendable {
    // The state is used by the jobs of `queue` only, which run one at a time.
    let state: State
    let queue: DispatchQueue
    /// Jobs submitted that have not ended.
    let pending = Atomic<Int>(0)

    init(state: State, queue: DispatchQueue) {
      self.state = state
      self.queue = queue
    }
  }
  private let workers: [Worker]

  /// Makes one worker for each state.
  init(label: String, states: [State]) {
    workers = states.map { Worker(state: $0, queue: DispatchQueue(label: label)) }
  }

  /// Runs `job` on a worker with few jobs waiting.
  func submit(_ job: @escaping @Sendable (State) -> Void) {
    var chosen = workers[0]
    var fewest = Int.max
    for worker in workers {
      let pending = worker.pending.load(ordering: .relaxed)
      if pending < fewest {
        fewest = pending
        chosen = worker
      }
    }
    submit(job, to: chosen)
  }

  /// Runs `job` on the first worker.
  func submitToFirst(_ job: @escaping @Sendable (State) -> Void) {
    submit(job, to: workers[0])
  }

  private func submit(_ job: @escaping @Sendable (State) -> Void, to worker: Worker) {
    worker.pending.add(1, ordering: .relaxed)
    worker.queue.async {
      job(worker.state)
      worker.pending.subtract(1, ordering: .relaxed)
    }
  }

  /// Runs `job` once on each worker, after all that was submitted so far.
  func runOnEach(_ job: @escaping @Sendable (State) -> Void) {
    for worker in workers {
      worker.queue.async { job(worker.state) }
    }
  }

  /// Waits until every job submitted so far has ended.
  func drain() {
    for worker in workers { worker.queue.sync {} }
  }
}
