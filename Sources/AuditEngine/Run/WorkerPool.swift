internal import Dispatch
internal import Synchronization

/// Some serial Dispatch queues, each with a state of its own that only its jobs touch. They take jobs
/// from one list, so that no worker is idle while a job waits.
final class WorkerPool<State: AnyObject>: Sendable {
  private typealias Job = @Sendable (State) -> Void

  private final class Worker: @unchecked Sendable {
    // The state is used by the jobs of `queue` only, which run one at a time.
    let state: State
    let queue: DispatchQueue

    init(state: State, queue: DispatchQueue) {
      self.state = state
      self.queue = queue
    }
  }

  /// The jobs that wait, and who may be woken for them.
  private struct Waiting {
    private var jobs = JobList<Job>()
    /// True for a worker that has to be woken, by its number.
    private var isIdle: [Bool]

    init(workers: Int) {
      isIdle = [Bool](repeating: true, count: workers)
    }

    /// Adds a job for any worker. Returns the number of the worker to wake, or nil if all are awake.
    mutating func add(_ job: @escaping Job) -> Int? {
      jobs.append(job)
      guard let number = isIdle.firstIndex(of: true) else { return nil }
      isIdle[number] = false
      return number
    }

    /// Removes the next job of a worker. Without one the worker is idle.
    mutating func next(of number: Int) -> Job? {
      if let job = jobs.popFirst() { return job }
      isIdle[number] = true
      return nil
    }
  }

  private let workers: [Worker]
  private let waiting: Mutex<Waiting>

  /// Makes one worker for each state.
  init(label: String, states: [State]) {
    workers = states.map { Worker(state: $0, queue: DispatchQueue(label: label)) }
    waiting = Mutex(Waiting(workers: states.count))
  }

  /// Runs `job` on the worker that is free first.
  func submit(_ job: @escaping @Sendable (State) -> Void) {
    waiting.withLock { start($0.add(job)) }
  }

  /// Has a worker that was idle run jobs until none waits for it. The lock is held, so that whoever
  /// drains the pool finds it on the worker's queue.
  private func start(_ number: Int?) {
    guard let number else { return }
    let worker = workers[number]
    worker.queue.async { [self] in
      while let job = waiting.withLock({ $0.next(of: number) }) { job(worker.state) }
    }
  }

  /// Waits until every job submitted so far has ended.
  func drain() {
    for worker in workers { worker.queue.sync {} }
  }
}
