package import AuditLog

/// What lines have to hold for a rule.
package struct FoundCondition: Equatable {
  package enum Test: Equatable {
    /// One of these texts stands at the pointer.
    case isOne([String])
    /// A route stands there that is one of these, as lenient routers compare them.
    case isPath([RoutePattern])
    /// Something stands there, and none of these texts: as where a proxy writes "" or "-" for what
    /// was not sent.
    case isNone([String])
    /// Anything but `null` stands there.
    case isPresent
  }

  /// The first of them that is present counts.
  package var pointers: [Int]
  package var test: Test

  /// The texts or routes, where the condition is one of them.
  package var values: [String] {
    switch test {
    case .isOne(let values): values
    case .isPath(let routes): routes.map(\.text)
    case .isNone, .isPresent: []
    }
  }

  /// Returns whether a line meets the condition.
  package func holds(_ line: SampleLine) -> Bool {
    guard let pointer = pointers.first(where: line.holds), let value = line[pointer] else {
      return false
    }
    switch test {
    case .isPresent: return true
    case .isNone(let texts): return !texts.contains { $0.utf8.elementsEqual(value.text) }
    case .isPath(let routes):
      guard value.kind == .string else { return false }
      let route = Array(value.text)
      return routes.contains { $0.fits(route.span) }
    case .isOne(let texts):
      guard value.isText || value.kind == .boolean else { return false }
      return texts.contains { $0.utf8.elementsEqual(value.text) }
    }
  }
}
