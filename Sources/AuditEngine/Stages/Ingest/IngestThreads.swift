internal import Dispatch
internal import Synchronization

/// The threads of the first stage, each with a state of its own. A thread reads while there is something for it
/// to read, and then decodes what others read; one that reads decodes its batches itself where enough of them
/// wait. So there are no more threads than jobs, and none is without work while there is some.
final class IngestThreads<State: AnyObject>: Sendable {
  typealias Job = @Sendable (State) -> Void

  private final class Slot: @unchecked Sendable {
    // The state is used by the jobs of `queue` only, which run one at a time.
    private let state: State
    private let queue = DispatchQueue(label: "decode")

    init(_ state: State) {
      self.state = state
    }

    func run(_ job: Job) {
      queue.sync { job(state) }
    }
  }

  /// The jobs that wait, and who may take them.
  private struct Waiting {
    var jobs = JobList<Job>()
    /// The threads that do nothing but decode.
    var decoders = 0
    var readers = 0
  }

  private let slots: [Slot]
  private let readers: Int
  private let most: Int
  private let waiting = Mutex(Waiting())
  /// One for each job that waits, and at the end one for each thread.
  private let ready = DispatchSemaphore(value: 0)

  /// Makes one thread for each state. At most `readers` of them read, and `most` jobs wait.
  init(_ states: [State], readers: Int, most: Int) {
    slots = states.map(Slot.init)
    self.readers = min(readers, states.count)
    self.most = most
  }

  /// One thread that reads.
  struct Reader: Sendable {
    fileprivate let threads: IngestThreads
    fileprivate let number: Int

    /// Runs `job` on this thread, or has another one run it.
    func submit(_ job: @escaping Job) {
      if !threads.offer(job) { threads.slots[number].run(job) }
    }

    /// Runs `job` with the first state.
    func runWithFirst(_ job: @escaping Job) { threads.slots[0].run(job) }
  }

  /// Calls `read` on each thread that may read, until nothing is left, and runs what it submits; then runs `last`
  /// once with each state.
  func run(_ read: @Sendable (Reader) -> Void, last: @escaping Job) {
    DispatchQueue.concurrentPerform(iterations: slots.count) { number in
      // There may be fewer cores than jobs: then a thread comes here when an earlier one has ended.
      if number < readers {
        waiting.withLock { $0.readers += 1 }
        read(Reader(threads: self, number: number))
        endReading()
      }
      waiting.withLock { $0.decoders += 1 }
      while let job = next() { slots[number].run(job) }
      slots[number].run(last)
    }
  }

  private func offer(_ job: @escaping Job) -> Bool {
    let isTaken = waiting.withLock { waiting in
      guard waiting.jobs.count < min(4 * waiting.decoders, most) else { return false }
      waiting.jobs.append(job)
      return true
    }
    if isTaken { ready.signal() }
    return isTaken
  }

  /// Has all threads end where the last one that reads has ended.
  private func endReading() {
    let isLast = waiting.withLock { waiting in
      waiting.readers -= 1
      return waiting.readers == 0
    }
    // A thread that comes late finds nothing to read, and is the last once more.
    guard isLast else { return }
    for _ in slots { ready.signal() }
  }

  /// Waits for the next job. Returns nil where all has been read, and none waits.
  private func next() -> Job? {
    ready.wait()
    return waiting.withLock { $0.jobs.popFirst() }
  }
}
