internal import Dispatch
internal import Synchronization

/// Some states, each of which one job at a time uses. The jobs wait in one list, so that no state
/// is idle while a job waits.
final class WorkerPool<State: AnyObject>: Sendable {
  private typealias Job = @Sendable (State) -> Void

  /// The jobs that wait, and the states that no job uses.
  private struct Waiting: @unchecked Sendable {
    // A state is used by the thread that has taken it from here.
    var jobs = JobList<Job>()
    var idle: [State]

    /// Removes the next job. Without one the state is idle.
    mutating func next(for state: State) -> Job? {
      if let job = jobs.popFirst() { return job }
      idle.append(state)
      return nil
    }
  }

  /// A state on its way to a thread.
  private struct Worker: @unchecked Sendable {
    let state: State
  }

  private let queue: DispatchQueue
  private let group = DispatchGroup()
  private let waiting: Mutex<Waiting>

  init(label: String, states: [State]) {
    queue = DispatchQueue(label: label, attributes: .concurrent)
    waiting = Mutex(Waiting(idle: states.reversed()))
  }

  /// Runs `job` with the state that is free first.
  func submit(_ job: @escaping @Sendable (State) -> Void) {
    waiting.withLock { waiting in
      waiting.jobs.append(job)
      guard let state = waiting.idle.popLast() else { return }
      let worker = Worker(state: state)
      // The lock is held, so that whoever drains the pool finds the worker in the group.
      queue.async(group: group) { [self] in
        while let job = self.waiting.withLock({ $0.next(for: worker.state) }) { job(worker.state) }
      }
    }
  }

  /// Waits until every job submitted so far has ended.
  func drain() { group.wait() }
}
