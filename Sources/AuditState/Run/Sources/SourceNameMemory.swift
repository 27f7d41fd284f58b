internal import Synchronization

/// The names of sources of earlier runs, from any thread; what goes wrong fails the run later.
final class SourceNameMemory: Sendable {
  private struct Held {
    var failure: StateError?
    /// The name asked for last: rows of one source come together.
    var last: (source: UInt32, name: String)?
  }

  private let database: StateDatabase
  private let held = Mutex(Held())

  init(_ database: StateDatabase) {
    self.database = database
  }

  /// The first error, if there was one.
  var failure: StateError? { held.withLock { $0.failure } }

  /// Returns the name of a source, or an empty text if no run had a source of that number.
  func name(_ source: UInt32) -> String {
    if let last = held.withLock({ $0.last }), last.source == source { return last.name }
    do throws(StateError) {
      let name = try InputTable.name(database, source) ?? ""
      held.withLock { $0.last = (source, name) }
      return name
    } catch {
      held.withLock { $0.failure = $0.failure ?? error }
      return ""
    }
  }
}
