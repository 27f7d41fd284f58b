/// A list that is filled at its end and emptied from its front.
struct JobList<Job> {
  private var jobs: [Job?] = []
  private var first = 0

  var count: Int { jobs.count - first }

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
