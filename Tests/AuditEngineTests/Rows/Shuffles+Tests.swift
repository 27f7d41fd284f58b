@testable import AuditEngine

extension Shuffles {
  /// The shuffles of a run with one worker and little memory.
  convenience init(folder: String, remembers: Bool = false) {
    self.init(
      MemoryPlan(memory: MemoryPlan.minimum, jobs: 1, verdicts: false), workers: 1,
      folder: folder, wantsVerdicts: false, remembers: remembers)
  }
}
