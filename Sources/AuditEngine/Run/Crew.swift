internal import Basics
internal import Dispatch
internal import Synchronization

/// The threads of a stage, each with a state of its own. The first ones lead: they hand out jobs while there is
/// something to read. Whoever has nothing to lead carries out the jobs of others, and a leader its own jobs where
/// enough of them wait. So there are no more threads than states, and none is without work while there is some.
final class Crew<State: AnyObject>: Sendable {
  typealias Job = @Sendable (State) -> Void

  private final class Slot: @unchecked Sendable {
    // The state is used by the slot's thread, and by jobs under the lock.
    let state: State
    private let lock = Mutex(())

    init(_ state: State) {
      self.state = state
    }

    func run(_ job: Job) {
      lock.withLock { _ in job(state) }
    }
  }

  /// The jobs that wait, and who is at work.
  private struct Waiting {
    var jobs: [Job?] = []
    var first = 0
    var helpers = 0
    var leaders = 0

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

  private let slots: [Slot]
  private let leaders: Int
  private let most: Int
  private let waiting = Mutex(Waiting())
  /// One for each job that waits, and at the end one for each thread.
  private let ready = DispatchSemaphore(value: 0)

  /// Makes one thread for each state. At most `leaders` of them lead, and `most` jobs wait.
  init(_ states: [State], leaders: Int, most: Int = 0) {
    slots = states.map(Slot.init)
    self.leaders = min(leaders, states.count)
    self.most = most
  }

  /// One thread that leads.
  struct Leader: Sendable {
    fileprivate let crew: Crew
    let number: Int

    var state: State { crew.slots[number].state }

    /// Whether there is a thread without anything to read for each one that reads.
    var hasHelper: Bool { crew.waiting.withLock { $0.helpers >= $0.leaders } }

    /// Runs `job` on this thread, or has another one run it.
    func submit(_ job: @escaping Job) {
      if !crew.offer(job) { crew.slots[number].run(job) }
    }

    func runWithFirst(_ job: @escaping Job) { crew.slots[0].run(job) }
  }

  /// Calls `lead` on each thread that may lead, and runs what it submits; then runs `last` once with each state.
  /// If one of them fails, the run stops, and the reason is thrown.
  func run(
    _ run: Cancellation<AuditError>, _ lead: @Sendable (Leader) throws(AuditError) -> Void,
    last: @Sendable (State) throws(AuditError) -> Void = { _ in }
  ) throws(AuditError) {
    DispatchQueue.concurrentPerform(iterations: slots.count) { number in
      do throws(AuditError) {
        // There may be fewer cores than states: then a thread comes here when an earlier one has ended.
        if number < leaders {
          waiting.withLock { $0.leaders += 1 }
          defer { endLeading() }
          try lead(Leader(crew: self, number: number))
        }
      } catch {
        run.stop(error)
      }
      waiting.withLock { $0.helpers += 1 }
      while let job = next() { slots[number].run(job) }
      do throws(AuditError) { try last(slots[number].state) } catch { run.stop(error) }
    }
    try run.check()
  }

  private func offer(_ job: @escaping Job) -> Bool {
    let isTaken = waiting.withLock { waiting in
      guard waiting.jobs.count - waiting.first < min(4 * waiting.helpers, most) else {
        return false
      }
      waiting.jobs.append(job)
      return true
    }
    if isTaken { ready.signal() }
    return isTaken
  }

  /// Has all threads end where the last leader has ended.
  private func endLeading() {
    let isLast = waiting.withLock { waiting in
      waiting.leaders -= 1
      return waiting.leaders == 0
    }
    // A thread may start after all others ended: it carries out its own jobs.
    guard isLast else { return }
    for _ in slots { ready.signal() }
  }

  /// Waits for the next job. Returns nil where nothing more is submitted, and none waits.
  private func next() -> Job? {
    ready.wait()
    return waiting.withLock { waiting in
      let job = waiting.popFirst()
      // It is gone: a leader that starts late must not wait for it.
      if job == nil { waiting.helpers -= 1 }
      return job
    }
  }
}
