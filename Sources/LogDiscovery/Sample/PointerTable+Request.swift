/// Which pointers lie in what a client sent.
extension PointerTable {
  /// Parts of a request, by the letters of their names.
  private static let parts = [
    "body", "requestbody", "reqbody", "rawbody", "jsonbody", "parsedbody", "query", "rawquery",
    "queryparams", "queryparameters", "querystring", "querystringparameters", "params",
    "parameters", "pathparameters", "cookies", "cookie", "form", "formdata", "args",
  ]
  /// Members that stand beside the body of a log's record, which is no request's (OpenTelemetry, Logs
  /// Data Model).
  private static let recordMembers = [
    "severitytext", "severitynumber", "timeunixnano", "observedtimeunixnano", "resource",
    "instrumentationscope", "traceflags",
  ]
  /// Beginnings of names under which access logs have a request's headers, one by one.
  private static let headerBeginnings = [
    "x-", "http_x_", "http.request.header.", "request.header.", "request_header_",
    "grpc-metadata-",
  ]

  /// Returns whether what stands at a pointer is a part of a request, as its client wrote it.
  ///
  /// - Parameter tokens: Pointers of tokens: what calls itself metadata is the client's where one stands
  ///   in it.
  func isOfRequest(_ number: Int, tokens: Set<Int>) -> Bool {
    var isFound = false
    var at = number
    while at != Self.root {
      let words = NameWords(name(at))
      if words.contains(["resp"]) || words.isOne(["res"]) { return false }
      let text = name(at).lowercased()
      isFound = isFound || Self.headerBeginnings.contains { text.hasPrefix($0) }
      if at != number {
        isFound =
          isFound || words.contains(["header", "hdr"])
          || words.isOne(Self.parts) && !isBodyOfRecord(at)
          || words.contains(["metadata"]) && tokens.contains { isInside($0, at) }
      }
      at = parent(at)
    }
    return isFound
  }

  private func isBodyOfRecord(_ number: Int) -> Bool {
    NameWords(name(number)).isOne(["body"])
      && children(parent(number)).contains { NameWords(name($0)).isOne(Self.recordMembers) }
  }
}
