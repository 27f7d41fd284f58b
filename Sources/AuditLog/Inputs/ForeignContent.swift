internal import Compression
internal import Files
internal import Glibc

/// Content that is not JSON Lines, recognised by its first bytes, and the command that converts it.
package struct ForeignContent: Sendable, Equatable {
  /// The name of its kind: `xz`, `a CSV table`.
  package let name: String
  /// A command for a shell that writes the content to its output as JSON Lines.
  package let command: String

  /// Whether it is JSON Lines with record separators (RFC 7464), which `prefix: skip` passes over.
  package let isSequence: Bool

  /// The bytes that are examined: a tar archive has its mark at 257.
  private static let headBytes = 64 << 10
  /// The bytes that are read if they are one line: an object can be followed by others on its line.
  private static let lineBytes = 8 << 20
  /// A window that is large enough for the first bytes of whatever was compressed.
  private static let windowBytes = 128 << 20

  /// Examines a file. Returns nil if it can be JSON Lines, or cannot be read twice.
  package static func of(path: String) -> ForeignContent? {
    guard let (head, format) = head(path) else { return nil }
    return ForeignContent(head, format ?? .plain, path)
  }

  /// Returns whether an object can begin near the beginning of a file, or the file cannot be read twice.
  package static func mayHaveObjects(path: String) -> Bool {
    head(path)?.head.contains(UInt8(ascii: "{")) ?? true
  }

  /// Returns a file's first bytes, decompressed, or nil if it cannot be read twice.
  private static func head(_ path: String) -> (head: ArraySlice<UInt8>, format: StreamFormat?)? {
    guard let status = FileStatus(path: path), status.kind == .file,
      let input = try? OpenFile(path: path, found: status.identity, planned: nil)
    else { return nil }
    let raw = CountedInput(input, isHashed: false) { _ in }
    let decoder = unsafe StreamDecoder(windowLimit: windowBytes) { unsafe try raw.read(into: $0) }
    var head = [UInt8](repeating: 0, count: headBytes)
    var count = 0
    while count < head.count {
      let event = unsafe head.withUnsafeMutableBytes { buffer in
        unsafe try? decoder.next(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      }
      guard case .bytes(let more)? = event else { break }
      count += more
      if count == headBytes, head.first == UInt8(ascii: "{"), !head.contains(0x0A) {
        head += [UInt8](repeating: 0, count: lineBytes - headBytes)
      }
    }
    return (head[..<count], decoder.format)
  }

  /// Finds out what content that begins with `head` is, or gives nil if it may well be JSON Lines.
  ///
  /// - Parameters:
  ///   - format: The format in which the file's bytes are compressed.
  ///   - path: The file, for the command.
  init?(_ head: ArraySlice<UInt8>, _ format: StreamFormat, _ path: String) {
    let file = ShellText.quoted(path)
    isSequence = head.first == 0x1E
    let unpack = format.command.map { "\($0) \(file) | " } ?? ""
    let named = format == .plain ? " \(file)" : ""
    if let (name, tool, rest) = Self.packed(head) {
      self.name = format == .plain ? name : "\(name) within \(format)"
      command = unpack + tool + (format == .plain ? " < \(file)" : "") + rest
    } else if let (name, tool) = Self.container(head) {
      self.name = name
      command = unpack + tool + (format == .plain ? " \(file)" : " -")
    } else if let encoding = Self.utf16(head) {
      name = "\(encoding.prefix(6)) text"
      command = unpack + "iconv -f \(encoding) -t UTF-8" + named
    } else if head.starts(with: "PAR1".utf8) {
      name = "a Parquet file"
      command = "duckdb -c \"COPY (FROM \(Self.literal(path))) TO '/dev/stdout' (FORMAT json)\""
    } else if let tool = Self.jsonTool(head) {
      name = "JSON, but not one object on each line"
      command = unpack + tool + named
    } else if Self.isTable(head) {
      name = "a CSV table"
      let source = format == .plain ? path : "/dev/stdin"
      command =
        unpack
        + "duckdb -c \"COPY (FROM read_csv(\(Self.literal(source)), all_varchar = true)) TO "
        + "'/dev/stdout' (FORMAT json)\""
    } else if Self.isBinary(head), !Self.hasWord(head.prefix(8)) {
      name = "not text, and brotli has no mark at its beginning"
      command = unpack + "brotli -dc" + named
    } else {
      return nil
    }
  }

  /// Returns the name of a packing within the one that was undone, the command that undoes it from
  /// standard input, and the command that follows.
  private static func packed(_ head: ArraySlice<UInt8>) -> (String, String, String)? {
    if head.starts(with: [0x1F, 0x8B]) { return ("gzip", "gzip -dc", "") }
    if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return ("zstd", "zstd -dc", "") }
    // The base64 of the first bytes of gzip, and of an object.
    for (mark, name, end, rest) in [
      ("H4sI", "gzip in base64", "", " | gzip -dc"), ("eyJ", "JSON in base64", "; echo", ""),
    ] where head.starts(with: mark.utf8) {
      // Each line is packed, or base64 of the whole was wrapped into lines.
      let second = head.split(separator: 0x0A, maxSplits: 2).dropFirst().first
      let isEach = second?.starts(with: mark.utf8) ?? false
      return (
        name,
        isEach ? "while read -r line; do echo \"$line\" | base64 -d\(end); done" : "base64 -d",
        rest
      )
    }
    // RFC 1950: the method, and a check of both bytes.
    guard head.count > 2, let first = head.first, first == 0x78,
      case let second = head[head.startIndex + 1], (Int(first) << 8 | Int(second)) % 31 == 0,
      isBinary(head)
    else { return nil }
    let program =
      "import sys, zlib; sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read()))"
    return ("zlib", "python3 -c '\(program)'", "")
  }

  /// Returns whether text begins with control bytes. Zeros can precede an object (`records.R81`).
  private static func isBinary(_ head: ArraySlice<UInt8>) -> Bool {
    let start = head.drop { $0 == 0 }.prefix(256)
    let control = start.count { $0 < 0x07 || (0x0E..<0x1B).contains($0) || $0 == 0x7F }
    return control * 50 > start.count && start.first != UInt8(ascii: "{")
  }

  /// Returns whether three letters follow one another, as in the marks of pictures and programs.
  private static func hasWord(_ bytes: ArraySlice<UInt8>) -> Bool {
    var letters = 0
    return bytes.contains { byte in
      letters = (0x61...0x7A).contains(byte | 0x20) ? letters + 1 : 0
      return letters == 3
    }
  }

  /// Returns the name of a compression or archive, and the command that unpacks it.
  private static func container(_ head: ArraySlice<UInt8>) -> (String, String)? {
    let magics: [([UInt8], String, String)] = [
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz", "xz -dc"),
      ([0x42, 0x5A, 0x68], "bzip2", "bzip2 -dc"),
      ([0x04, 0x22, 0x4D, 0x18], "lz4", "lz4 -dc"),
      ([0x50, 0x4B, 0x03, 0x04], "a zip archive", "unzip -p"),
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive", "7z x -so"),
      ([0x4F, 0x62, 0x6A, 0x01], "an Avro file", "fastavro"),
      ([0x4F, 0x52, 0x43], "an ORC file", "orc-contents"),
    ]
    if let (_, name, tool) = magics.first(where: { head.starts(with: $0.0) }) {
      return (name, tool)
    }
    let mark = head.startIndex + 257
    return head.count > 262 && head[mark...].starts(with: "ustar".utf8)
      ? ("a tar archive", "tar -xOf") : nil
  }

  /// Returns the UTF-16 or UTF-32 encoding that a mark or the zeros beside ASCII show.
  private static func utf16(_ head: ArraySlice<UInt8>) -> String? {
    let first = Array(head.prefix(4))
    guard first.count == 4 else { return nil }
    if first == [0xFF, 0xFE, 0, 0] || first == [0, 0, 0xFE, 0xFF] { return "UTF-32" }
    if first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    if first[0] != 0, first[1] == 0, first[2] != 0, first[3] == 0 { return "UTF-16LE" }
    return first[0] == 0 && first[1] != 0 && first[2] == 0 && first[3] != 0 ? "UTF-16BE" : nil
  }

  /// Returns the command that makes lines of one array, or of objects over several lines.
  private static func jsonTool(_ head: ArraySlice<UInt8>) -> String? {
    let text = head.drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    switch text.first {
    case UInt8(ascii: "["):
      let inner = text.dropFirst().drop { $0 <= 0x20 }
      return inner.first == UInt8(ascii: "{") ? "jq -c '.[]'" : nil
    case UInt8(ascii: "{"):
      let line = text.prefix { $0 != 0x0A }.dropFirst()
      let isPretty = line.count < text.count - 1 && line.allSatisfy { $0 <= 0x20 }
      return isPretty || isFollowed(text) ? "jq -c ." : nil
    // A string that contains an object.
    case UInt8(ascii: "\""): return text.dropFirst().first == UInt8(ascii: "{") ? "jq -r ." : nil
    case 0x1E: return "sed 's/^\\x1e//'"
    default: return nil
    }
  }

  /// Returns whether another object follows the first one on its line.
  private static func isFollowed(_ text: ArraySlice<UInt8>) -> Bool {
    var depth = 0
    var isInString = false
    var rest = text
    while let byte = rest.popFirst() {
      if isInString {
        if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        if byte == UInt8(ascii: "\"") { isInString = false }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 {
          return rest.first { ![0x20, 0x09, 0x0D].contains($0) } == UInt8(ascii: "{")
        }
      case 0x0A: return false
      default: continue
      }
    }
    return false
  }

  /// Returns whether the first two lines are of a table: a header without JSON, of several columns.
  private static func isTable(_ head: ArraySlice<UInt8>) -> Bool {
    let lines = head.split(separator: 0x0A, maxSplits: 2)
    guard lines.count >= 2, let first = lines.first, first.allSatisfy({ $0 >= 0x20 || $0 == 0x0D }),
      !first.contains(UInt8(ascii: "{")), String(validating: first, as: UTF8.self) != nil
    else { return false }
    let commas = first.count { $0 == UInt8(ascii: ",") }
    // Two columns are those of a table if they have names, as in an export of CloudWatch Insights.
    let hasNames = first.allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isLetter || (0x30...0x39).contains(byte)
        || "@_.,\"\r".utf8.contains(byte)
    }
    return commas >= 2
      || commas == 1 && hasNames && lines[1].contains(UInt8(ascii: ","))
        && lines[1].first != UInt8(ascii: "{")
  }

  /// Returns a path as text of SQL inside double quotes of a shell.
  private static func literal(_ path: String) -> String {
    var text = ""
    for character in path {
      if "\\\"$`".contains(character) { text.append("\\") }
      if character == "'" { text.append("'") }
      text.append(character)
    }
    return "'\(text)'"
  }
}
