/// A route of a schema. A segment `*` is any one segment, `**` any number of them.
package struct RoutePattern: Sendable, Hashable {
  package let text: String
  /// The pattern in the form of ``RoutePath``.
  let normal: [UInt8]

  package init(parsing text: String) throws(SchemaProblem) {
    guard text.utf8.first == UInt8(ascii: "/") else {
      throw SchemaProblem("does not begin with '/'")
    }
    guard !text.contains(where: { $0 == "?" || $0 == "#" }) else {
      throw SchemaProblem("has a query or a fragment, which routes are compared without")
    }
    for segment in text.split(separator: "/") {
      guard !segment.contains("*") || segment == "*" || segment == "**" else {
        throw SchemaProblem("has a '*' that is not a whole segment")
      }
    }
    guard !text.lowercased().contains("%2a") else {
      throw SchemaProblem("has a percent-encoded '*', which would stand for any segment")
    }
    self.text = text
    normal = RoutePath.normal(Array(text.utf8).span)
  }

  package func fits(_ route: Span<UInt8>) -> Bool { RoutePath.fits(normal.span, route) }
}

/// Paths of requests as lenient routers compare them: without scheme, host, query, fragment and
/// trailing slash, several slashes as one, percent-encoded characters but the slash decoded, and
/// letter case left aside.
package enum RoutePath {
  private static let slash = UInt8(ascii: "/")

  /// Returns a path in normal form: lower case, one slash before each segment. The root is empty.
  package static func normal(_ route: Span<UInt8>) -> [UInt8] {
    var normal: [UInt8] = []
    var at = path(of: route)
    while let segment = next(&at, in: route) {
      normal.append(slash)
      var place = segment.lowerBound
      while let byte = character(&place, segment.upperBound, route) { normal.append(byte) }
    }
    return normal
  }

  /// Returns a route as the shape of a line (`records.R55`), or nil if it is empty: then the line has none.
  static func shape(_ route: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard !route.isEmpty else { return nil }
    let normal = unsafe normal(Span(_unsafeElements: route))
    return normal.isEmpty ? [slash] : normal
  }

  static func fits(_ pattern: Span<UInt8>, _ route: Span<UInt8>) -> Bool {
    var wanted = 0..<pattern.count
    var at = path(of: route)
    // Behind the last `**`, and where the route goes on behind what it stands for.
    var retry: (wanted: Range<Int>, at: Range<Int>)?
    while true {
      let segment = next(&wanted, in: pattern)
      if let segment, isStars(segment, 2, pattern) {
        retry = (wanted, at)
        continue
      }
      guard let found = next(&at, in: route) else { return segment == nil }
      if let segment,
        isStars(segment, 1, pattern) || isSame(segment, pattern, found, route)
      {
        continue
      }
      guard var last = retry, next(&last.at, in: route) != nil else { return false }
      retry = last
      (wanted, at) = last
    }
  }

  /// Returns the range of the path in a route with scheme, host, query and fragment.
  private static func path(of route: Span<UInt8>) -> Range<Int> {
    var end = 0
    while end < route.count, route[end] != UInt8(ascii: "?"), route[end] != UInt8(ascii: "#") {
      end += 1
    }
    guard end > 0, route[0] != slash else { return 0..<end }
    // A scheme holds no slash.
    var at = 0
    while at < end, route[at] != slash, route[at] != UInt8(ascii: ":") { at += 1 }
    guard end - at >= 3, at > 0, route[at] == UInt8(ascii: ":"), route[at + 1] == slash,
      route[at + 2] == slash
    else { return 0..<end }
    at += 3
    while at < end, route[at] != slash { at += 1 }
    return at..<end
  }

  @inline(__always)
  private static func next(_ rest: inout Range<Int>, in path: Span<UInt8>) -> Range<Int>? {
    var start = rest.lowerBound
    let end = rest.upperBound
    while start < end, path[start] == slash { start += 1 }
    guard start < end else { return nil }
    var behind = start + 1
    while behind < end, path[behind] != slash { behind += 1 }
    rest = behind..<end
    return start..<behind
  }

  /// Returns whether a segment is one star, or two: a pattern has stars in no other segment.
  private static func isStars(_ segment: Range<Int>, _ count: Int, _ pattern: Span<UInt8>) -> Bool {
    segment.count == count && pattern[segment.lowerBound] == UInt8(ascii: "*")
  }

  private static func isSame(
    _ segment: Range<Int>, _ pattern: Span<UInt8>, _ found: Range<Int>, _ route: Span<UInt8>
  ) -> Bool {
    var at = found.lowerBound
    for index in segment {
      guard character(&at, found.upperBound, route) == pattern[index] else { return false }
    }
    return at == found.upperBound
  }

  /// Returns the next character of a segment, decoded and in lower case, or nil at its end.
  @inline(__always)
  private static func character(_ at: inout Int, _ end: Int, _ route: Span<UInt8>) -> UInt8? {
    guard at < end else { return nil }
    var byte = route[at]
    at += 1
    if byte == UInt8(ascii: "%"), end - at >= 2,
      let decoded = PercentCode.byte(route[at], route[at + 1]), decoded != slash
    {
      byte = decoded
      at += 2
    }
    return byte &- UInt8(ascii: "A") <= 25 ? byte | 0x20 : byte
  }
}
