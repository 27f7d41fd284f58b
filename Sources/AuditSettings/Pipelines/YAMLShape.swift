internal import CYaml

/// The check of a YAML text before nodes are made of it: keys are words, and nothing is an anchor, an alias or a
/// directive.
///
/// Settings need none of these. A few lines of aliases stand for more nodes than any memory has, libyaml compares each
/// directive with all before it, and Yams compares nested keys in exponential time.
enum YAMLShape {
  struct Problem: Error, Equatable {
    var line: Int
    var text: String
  }

  static let aliases =
    "anchors and aliases (& and *) are not allowed: write the value where it is needed"
  static let directives = "directives (%) are not allowed"
  static let keys = "a key has to be a word"

  /// Reads the text to its end, or to where it is not YAML.
  static func check(_ text: String) throws(Problem) {
    var bytes = Array(text.utf8)
    try checkDirectives(bytes)
    var parser = unsafe yaml_parser_t()
    guard unsafe yaml_parser_initialize(&parser) == 1 else { return }
    defer { unsafe yaml_parser_delete(&parser) }
    let problem = unsafe bytes.withUnsafeMutableBufferPointer { bytes -> Problem? in
      unsafe yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
      unsafe yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      return unsafe firstProblem(&parser)
    }
    if let problem { throw problem }
  }

  /// Looks for a percent sign at the beginning of a line, by any character that may end one.
  private static func checkDirectives(_ bytes: [UInt8]) throws(Problem) {
    var line = 1
    var last = UInt8(ascii: "\n")
    for byte in bytes {
      if byte == UInt8(ascii: "%"), last != 0x09, !(0x20...0x7E).contains(last) {
        throw Problem(line: line, text: directives)
      }
      if byte == UInt8(ascii: "\n") { line += 1 }
      last = byte
    }
  }

  /// Reads all events, and returns the first that is not as it should be, or nil.
  private static func firstProblem(_ parser: inout yaml_parser_t) -> Problem? {
    // The lists and mappings around the place that was reached.
    var open: [(isMapping: Bool, awaitsKey: Bool)] = []
    while true {
      var event = unsafe yaml_event_t()
      guard unsafe yaml_parser_parse(&parser, &event) == 1 else { return nil }
      defer { unsafe yaml_event_delete(&event) }
      let (type, line) = unsafe (event.type, Int(event.start_mark.line) + 1)
      let hasAnchor =
        switch type {
        case YAML_ALIAS_EVENT: true
        case YAML_SCALAR_EVENT: unsafe event.data.scalar.anchor != nil
        case YAML_SEQUENCE_START_EVENT: unsafe event.data.sequence_start.anchor != nil
        case YAML_MAPPING_START_EVENT: unsafe event.data.mapping_start.anchor != nil
        default: false
        }
      if hasAnchor { return Problem(line: line, text: aliases) }
      switch type {
      case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT:
        if open.last?.awaitsKey == true { return Problem(line: line, text: keys) }
        let isMapping = type == YAML_MAPPING_START_EVENT
        open.append((isMapping, isMapping))
        continue
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: _ = open.popLast()
      case YAML_SCALAR_EVENT: break
      case YAML_STREAM_END_EVENT: return nil
      default: continue
      }
      // A node has ended: in a mapping a key and its value alternate.
      if let last = open.indices.last, open[last].isMapping { open[last].awaitsKey.toggle() }
    }
  }
}
