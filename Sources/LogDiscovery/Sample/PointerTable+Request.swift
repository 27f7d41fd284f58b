/// Pointers into data that a client sent.
extension PointerTable {
  /// Parts of a request, by the letters of their names.
  private static let parts = [
    "body", "requestbody", "reqbody", "rawbody", "jsonbody", "parsedbody", "query", "rawquery",
    "queryparams", "queryparameters", "querystring", "querystringparameters", "params",
    "parameters", "pathparameters", "cookies", "cookie", "form", "formdata", "args", "arguments",
    "bodyjson", "bodyparsed", "requestparameters", "requestparams", "requestobject",
    "requestpayload", "requestdata", "requestcontent", "requestjson", "requestform",
    "requestquery", "requestcookies", "requestargs", "reqpayload", "rawrequest", "postdata",
    "formfields", "formparams", "queryargs", "urlparams", "pathparams",
    "routeparams", "searchparams", "variables", "graphqlvariables", "multipart", "files",
  ]
  /// Objects in which some servers log a request's body, and others their own record. They are the
  /// body's if the rest of the request is beside them.
  private static let bodiesOrRecords = ["payload"]
  /// Members beside the body of a log's record, which is no request's (OpenTelemetry, Logs Data
  /// Model).
  private static let recordMembers = [
    "severitytext", "severitynumber", "timeunixnano", "observedtimeunixnano", "resource",
    "instrumentationscope", "traceflags",
  ]
  /// Beginnings of names under which access logs have a request's headers, body, query and cookies,
  /// each separately.
  private static let beginnings = [
    "x-", "http_x_", "http.request.header.", "request.header.", "request_header_",
    "grpc-metadata-", "arg_", "args.", "cookie_", "cookies.", "cookie.", "query.", "query_",
    "body.", "body_", "form.", "form_", "params.", "param_", "payload.", "headers.", "header.",
    "header_", "http.request.body.", "http.request.query.", "http.request.cookies.",
    "http.request.params.", "http.request.payload.", "request.body.", "request.query.",
    "request.cookies.", "request.params.", "request.payload.", "req.body.", "req.query.",
    "req.cookies.", "req.headers.", "req.params.", "req.payload.", "request.headers.",
    "request_body_", "request_query_", "request_cookie_", "http_cookie_", "url.query.",
  ]
  /// Names with such beginnings that a server's own values have.
  private static let serverNames = [
    "body_bytes_sent", "body_bytes", "body_size", "body_length", "query_time", "query_duration",
    "query_id", "header_size", "header_count",
  ]

  /// Returns whether the value at a pointer is a part of a request, as its client wrote it.
  ///
  /// - Parameters:
  ///   - tokens: Pointers of tokens. An object named metadata is the client's if it holds a token.
  ///   - methods: Pointers of the method of the request.
  func isOfRequest(_ number: Int, tokens: Set<Int>, methods: Set<Int> = []) -> Bool {
    var isFound = false
    var at = number
    while at != Self.root {
      let words = NameWords(name(at))
      // An answer is the server's, but not one inside the request.
      let isAnswer =
        (words.contains(["resp"]) || words.isOne(["res"])) && !words.contains(["request"])
      let text = name(at).lowercased()
      isFound =
        !isAnswer
        && (isFound
          || Self.beginnings.contains { text.hasPrefix($0) } && !Self.serverNames.contains(text))
      if at != number, !isAnswer {
        isFound =
          isFound || words.contains(["header", "hdr"])
          || words.isOne(Self.parts) && !isBodyOfRecord(at)
          || words.isOne(Self.bodiesOrRecords) && isBeside(methods, at)
          || words.contains(["metadata"]) && tokens.contains { isInside($0, at) }
      }
      at = parent(at)
    }
    return isFound
  }

  /// Returns whether pointers are outside of an object, and none of them inside.
  func isBeside(_ pointers: Set<Int>, _ object: Int) -> Bool {
    !pointers.isEmpty && pointers.allSatisfy { !isInside($0, object) }
  }

  private func isBodyOfRecord(_ number: Int) -> Bool {
    NameWords(name(number)).isOne(["body"])
      && children(parent(number)).contains { NameWords(name($0)).isOne(Self.recordMembers) }
  }
}
