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
    private var shared = JobList<Job>()
    private var ofFirst = JobList<Job>()
    /// True for a worker that has to be woken, by its number.
    private var isIdle: [Bool]

    init(workers: Int) {
      isIdle = [Bool](repeating: true, count: workers)
    }

    /// Adds a job for any worker. Returns the number of the worker to wake, or nil if all are awake.
    mutating func add(_ job: @escaping Job) -> Int? {
      shared.append(job)
      return wake(isIdle.firstIndex(of: true))
    }

    /// Adds a job for the first worker. Returns its number if it has to be woken.
    mutating func addToFirst(_ job: @escaping Job) -> Int? {
      ofFirst.append(job)
      return wake(isIdle[0] ? 0 : nil)
    }

    private mutating func wake(_ number: Int?) -> Int? {
      if let number { isIdle[number] = false }
      return number
    }

    /// Removes the next job of a worker. Without one the worker is idle.
    mutating func next(of number: Int) -> Job? {
      if number == 0, let job = ofFirst.popFirst() { return job }
      if let job = shared.popFirst() { return job }
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

  /// Runs `job` on the first worker.
  func submitToFirst(_ job: @escaping @Sendable (State) -> Void) {
    waiting.withLock { start($0.addToFirst(job)) }
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

/// A list that is filled at its end and emptied from its front.
private struct JobList<Job> {
  private var jobs: [Job?] = []
  private var first = 0

  mutating func append(_ job: Job) { jobs.append(job) }

  /// Removes the oldest job, or returns nil if there is none.
  mutating func popFirst() -> Job? {
    guard first < jobs.count else { return nil }
    defer {
      jobs[first] = nil
      first += 1
      if 2 * first >= jobs.count {
        jobs.removeFirst(first)
        first = 0
      }
    }
    return jobs[first]
  }
}
