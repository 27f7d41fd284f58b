package import AuditLog

/// A condition that lines must meet for a rule.
package struct FoundCondition: Equatable {
  package enum Test: Equatable {
    /// The value at the pointer is one of these texts.
    case isOne([String])
    /// The value is a route that is one of these, as lenient routers compare them.
    case isPath([RoutePattern])
    /// A value is present, and is none of these texts. Proxies write texts such as "" or "-" for a
    /// header that was not sent.
    case isNone([String])
    /// A value other than `null` is present.
    case isPresent
  }

  /// The pointers. The first of them that is present counts.
  package var pointers: [Int]
  package var test: Test

  /// The texts or routes of the condition, or empty for other conditions.
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
