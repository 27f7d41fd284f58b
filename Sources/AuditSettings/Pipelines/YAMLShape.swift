internal import CYaml

/// The look at a YAML text before nodes are made of it.
///
/// Yams compares the keys of a mapping with each other, and nested lists or mappings are compared in
/// exponential time. So keys have to be words. What aliases repeat is counted, since a few lines of
/// them stand for more nodes than any memory holds. libyaml compares each directive with all before
/// it, so that there may be a few only.
enum YAMLShape {
  /// The largest number of nodes, where an alias counts as all that it repeats, and each
  /// ``textUnit`` bytes of a text as one more. Without aliases no file has so many.
  static let mostNodes = 1 << 20
  /// Bytes of a text that count as a node.
  static let textUnit = 16
  /// The largest number of lines that may be directives: those that begin with a percent sign.
  static let mostDirectives = 64

  /// A place where a text is not of this shape.
  struct Problem: Error, Equatable {
    /// The line, from 1.
    var line: Int
    var text: String
  }

  /// A list or mapping whose end has not come.
  private struct Collection {
    let isMapping: Bool
    let anchor: String?
    /// The nodes in it so far, and itself.
    var nodes = 1
    /// True in a mapping where a key is next.
    var awaitsKey: Bool
  }

  /// The collections around the place that was reached, and their sizes.
  private struct Walk {
    private var open: [Collection] = []
    /// The number of nodes of each anchor.
    private var nodes: [String: Int] = [:]

    /// Opens a list or mapping.
    mutating func enter(_ anchor: String?, isMapping: Bool) {
      open.append(Collection(isMapping: isMapping, anchor: anchor, awaitsKey: isMapping))
    }

    /// Closes the innermost collection.
    mutating func leave() {
      guard let collection = open.popLast() else { return }
      add(collection.nodes, anchor: collection.anchor)
    }

    /// Adds a node with all that is in it.
    mutating func add(_ count: Int, anchor: String?) {
      if let anchor { nodes[anchor] = count }
      guard let last = open.indices.last else { return }
      open[last].nodes = min(open[last].nodes + count, mostNodes + 1)
      if open[last].isMapping { open[last].awaitsKey.toggle() }
    }

    /// Adds what an alias stands for.
    mutating func repeatNode(of anchor: String?) {
      add(anchor.flatMap { nodes[$0] } ?? 1, anchor: nil)
    }

    var awaitsKey: Bool { open.last?.awaitsKey ?? false }
    var isTooLarge: Bool { (open.last?.nodes ?? 0) > mostNodes }
  }

  /// Reads the text to its end, or to where it is no YAML.
  ///
  /// - Throws: ``Problem`` where there are too many directives, at the first key that is no word, or
  ///   where aliases repeat too much.
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

  /// Counts the percent signs at the beginning of a line. A character that is neither a printable one
  /// of ASCII nor a tab is taken for a line end.
  ///
  /// - Throws: ``Problem`` at the first of them that is one too many.
  private static func checkDirectives(_ bytes: [UInt8]) throws(Problem) {
    var (line, directives) = (1, 0)
    var last = UInt8(ascii: "\n")
    for byte in bytes {
      if byte == UInt8(ascii: "%"), last != 0x09, !(0x20...0x7E).contains(last) { directives += 1 }
      if directives > mostDirectives {
        throw Problem(line: line, text: "more than \(mostDirectives) lines begin with '%'")
      }
      if byte == UInt8(ascii: "\n") { line += 1 }
      last = byte
    }
  }

  /// Reads all events, and returns the first that is not as it should be, or nil.
  private static func firstProblem(_ parser: inout yaml_parser_t) -> Problem? {
    var walk = Walk()
    while true {
      var event = unsafe yaml_event_t()
      guard unsafe yaml_parser_parse(&parser, &event) == 1 else { return nil }
      defer { unsafe yaml_event_delete(&event) }
      let type = unsafe event.type
      let isNode =
        type == YAML_ALIAS_EVENT || type == YAML_SEQUENCE_START_EVENT
        || type == YAML_MAPPING_START_EVENT
      let line = unsafe Int(event.start_mark.line) + 1
      if isNode, walk.awaitsKey { return Problem(line: line, text: "a key has to be a word") }
      switch type {
      case YAML_SCALAR_EVENT:
        let nodes = unsafe 1 + Int(event.data.scalar.length) / textUnit
        unsafe walk.add(nodes, anchor: name(event.data.scalar.anchor))
      case YAML_ALIAS_EVENT: unsafe walk.repeatNode(of: name(event.data.alias.anchor))
      case YAML_SEQUENCE_START_EVENT:
        unsafe walk.enter(name(event.data.sequence_start.anchor), isMapping: false)
      case YAML_MAPPING_START_EVENT:
        unsafe walk.enter(name(event.data.mapping_start.anchor), isMapping: true)
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: walk.leave()
      case YAML_STREAM_END_EVENT: return nil
      default: break
      }
      if walk.isTooLarge {
        return Problem(
          line: line,
          text: "aliases stand for more than \(mostNodes) values, or as much text")
      }
    }
  }

  /// Returns an anchor's name.
  private static func name(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    guard let text = unsafe text else { return nil }
    return unsafe String(cString: text)
  }
}
