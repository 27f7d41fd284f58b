import AuditLog

/// The words by which names (by their letters, in lower case) and values are recognised.
enum WordLists {
  // MARK: Decisions

  /// Words for decisions. A server that failed may have gone on.
  static let decisionWords = [
    (decision: "unknown", words: words("error errored exception timeout")),
    (
      decision: "accepted",
      words: words(
        """
        accepted accept ok okay allow allowed pass passed success succeeded valid verified
        approved granted yes
        """)
    ),
    (
      decision: "rejected",
      words: words(
        """
        rejected reject denied deny block blocked fail failed failure invalid refused forbidden
        unauthorized unverified no
        """)
    ),
  ]
  /// Names of members that hold a decision.
  static let decisions = words(
    """
    decision outcome status result verdict statuscode responsecode code action allowed accepted
    verified valid ok success authorized blocked rejected denied
    """)
  /// Names of flags whose `true` means accepted, and rejected. A longer name may refer to anything.
  static let flags = (
    accepted: words("allowed accepted verified valid ok success authorized passed"),
    rejected: words(
      """
      blocked rejected denied failed forbidden invalid unauthorized unverified notallowed
      notaccepted notverified notvalid notok refused
      """)
  )
  /// Words that a name of a flag may begin with and still refer to the request.
  static let flagBeginnings =
    [""]
    + words(
      """
      is was request req attest attestation assertion appattest signature server isrequest
      isassertion isattestation issignature
      """)
  /// A status counts in full only if every object around it has one of these words in its name.
  static let statusParents = words(
    """
    request response req res resp http result server app attest assert auth audit event data
    payload message msg log field attribute label json body context extra propert decision
    outcome verif check info meta detail value verdict validation integrity
    """)
  /// A flag counts only if every object around it has one of these names, or one for attestations.
  static let flagParents = words(
    """
    request response req res resp http result results server app auth audit event data payload
    message msg log logs fields attributes labels json jsonpayload body context ctx extra extras
    properties customproperties check checks info meta metadata detail details value values
    source record records entry line document doc item newimage parsed structured params output
    security
    """)
  /// Words for attestations and assertions, and for the outcome of their checks.
  static let attestations = words("attest assert verif decision outcome verdict validat integrity")

  // MARK: Other fields

  static let times = words("time ts timestamp date datetime at when")
  /// Words in the names of times of requests, and short names of them.
  static let timeWords = words("time date start epoch receiv created")
  static let shortTimes = words("ts t at when")
  /// Words in the names of times that a client, or another clock, may have written.
  static let foreignTimes = words("client device target upstream sent expir")
  static let requestIDs = words(
    "requestid reqid traceid correlationid rid rayid xrequestid uniqueid")
  static let subjects = words(
    """
    user userid username subject subjectid sub account accountid customer customerid member
    memberid uid principal login email
    """)
  static let keys = words("key kid credential")
  static let deviceTokens = words("devicetoken devicechecktoken devicecheck")
  static let challenges = words("challenge nonce chal")
  static let bodies = words("body payload content data entity message request")
  /// Names of members that tell kinds of lines apart.
  static let kinds = words(
    """
    event eventname eventtype kind type action operation op route path uri url endpoint name
    handler resource requesturi rawpath
    """)

  /// Names of a client's address, the best first.
  static let clientIPs = words(
    """
    clientip remoteaddr remoteip sourceip srcip clientaddress remoteaddress clientaddr client
    downstreamremoteaddress ipaddress ip cip rip peer
    """)
  /// Words in the names of addresses that are not a client's, and of numbers of four parts.
  static let otherAddresses = words(
    "host server upstream local dest gateway node listener proxy pod version build release")
  static let userAgents = words("useragent httpuseragent httprequestuseragent csuseragent agent ua")
  static let routes = words(
    """
    route uri path requesturi requestpath urlpath rawpath url httpurl httproute httptarget endpoint
    csuristem resourcepath xenvoyoriginalpath
    """)
  /// Names of durations, with their units.
  static let durations: [(name: String, unit: TimeUnit)] = [
    ("requesttime", .s), ("durationms", .ms), ("latencyms", .ms), ("elapsedms", .ms),
    ("responsetimems", .ms), ("tookms", .ms), ("durationseconds", .s), ("durationus", .us),
    ("durationns", .ns),
  ]
  /// Words in the names of times that are the beginning of a request.
  static let beginnings = words("start begin receiv")

  // MARK: Requests

  static let requestParts = words(
    """
    body requestbody reqbody rawbody jsonbody parsedbody query rawquery queryparams
    queryparameters querystring querystringparameters params parameters pathparameters cookies
    cookie form formdata args arguments bodyjson bodyparsed requestparameters requestparams
    requestobject requestpayload requestdata requestcontent requestjson requestform requestquery
    requestcookies requestargs reqpayload rawrequest postdata formfields formparams queryargs
    urlparams pathparams routeparams searchparams variables graphqlvariables multipart files
    """)
  /// Objects with a request's body, or a record: the body's if the rest of the request is beside.
  static let bodiesOrRecords = words("payload")
  /// Members beside the body of a log's record (OpenTelemetry, Logs Data Model).
  static let recordMembers = words(
    """
    severitytext severitynumber timeunixnano observedtimeunixnano resource instrumentationscope
    traceflags
    """)
  /// Beginnings of names under which access logs have the parts of a request separately.
  static let requestBeginnings = words(
    """
    x- http_x_ http.request.header. request.header. request_header_ grpc-metadata- arg_ args.
    cookie_ cookies. cookie. query. query_ body. body_ form. form_ params. param_ payload.
    headers. header. header_ http.request.body. http.request.query. http.request.cookies.
    http.request.params. http.request.payload. request.body. request.query. request.cookies.
    request.params. request.payload. req.body. req.query. req.cookies. req.headers. req.params.
    req.payload. request.headers. request_body_ request_query_ request_cookie_ http_cookie_
    url.query.
    """)
  /// Names with such beginnings that a server's own values have.
  static let serverNames = words(
    """
    body_bytes_sent body_bytes body_size body_length query_time query_duration query_id
    header_size header_count
    """)
  /// Names of bodies that a flag beside them can declare as base64.
  static let encodedBodies = words("body payload content data entity rawbody")
  static let encodingFlags = words("base64 encoding encoded")

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }
}

/// A member's name as words: letters only, in lower case.
struct NameWords {
  private let letters: String

  init(_ name: String) {
    letters = String(
      decoding: name.utf8.compactMap { byte -> UInt8? in
        switch byte {
        case 0x41...0x5A: byte | 0x20
        case 0x61...0x7A: byte
        default: nil
        }
      }, as: UTF8.self)
  }

  func contains(_ words: [String]) -> Bool { words.contains { letters.contains($0) } }
  func ends(_ words: [String]) -> Bool { words.contains { letters.hasSuffix($0) } }
  func isOne(_ words: [String]) -> Bool { words.contains(letters) }
}

/// The methods of HTTP requests that logs have (RFC 9110, section 9; RFC 5789).
enum RequestMethod {
  static let names: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
  /// The names as bytes of a line.
  static let texts = Set(names.map { Array($0.utf8)[...] })
}
