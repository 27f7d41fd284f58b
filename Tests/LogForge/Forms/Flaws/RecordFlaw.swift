import FindingCodes
import Foundation

/// A way to break a good line, so that an audit cannot read a record from it.
struct RecordFlaw: Sendable {
  /// The code of the reject, or ``FindingCode/recordNotAudited`` if the line is no record of the
  /// log any more, or nil if it holds no token either and an audit skips it.
  let code: FindingCode?
  /// The kind of record that is broken.
  let kind: LogRecord.Kind
  let edit: @Sendable (inout JSONLine) -> Void

  init(
    _ code: FindingCode?, _ kind: LogRecord.Kind,
    _ edit: @escaping @Sendable (inout JSONLine) -> Void
  ) {
    self.code = code
    self.kind = kind
    self.edit = edit
  }
}

extension RecordFlaw {
  /// Returns the flaws of a table in `Data`, with other words in `places`. Each of its lines is one of these,
  /// with a path of names and a value in JSON; "&" separates several edits:
  ///
  ///     absent KIND PATH VALUE            the field is missing, null, or has a type that it cannot have
  ///     twice KIND PATH VALUE             another value is before the field, under each equal name
  ///     CODE KIND PATH VALUE [& …]        the field has this value
  ///     CODE KIND PATH - [& …]            the field is missing
  ///     CODE KIND PATH <NAME VALUE [& …]  another field is before it, or with > in place of < at the end
  ///
  /// CODE is the name of a code without its family, or `none` if an audit skips the line.
  static func table(_ name: String, _ places: [String: String] = [:]) -> [RecordFlaw] {
    DataTable.section(name, of: PackageResources.flaws_txt).flatMap { line -> [RecordFlaw] in
      let line = places.reduce(String(line)) { $0.replacing($1.key, with: $1.value) }
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3, let kind = LogRecord.Kind(rawValue: words[1]) else {
        preconditionFailure("a flaw has a code, a kind and edits: \(line)")
      }
      let edits = edits(words[2])
      switch words[0] {
      case "absent":
        return ["-", "null", edits[0].value].map {
          RecordFlaw(.recordMissingField, kind, [Edit(edits[0].path, $0)])
        }
      case "twice":
        return names(equalTo: edits[0].path.last ?? "").map {
          RecordFlaw(.recordAmbiguousField, kind, [Edit(edits[0].path, "<\($0) \(edits[0].value)")])
        }
      default:
        let code = FindingCode.allCases.first { $0.name == "record.\(words[0])" }
        precondition(code != nil || words[0] == "none", "no such code: \(words[0])")
        return [RecordFlaw(code, kind, edits)]
      }
    }
  }

  private init(_ code: FindingCode?, _ kind: LogRecord.Kind, _ edits: [Edit]) {
    self.init(code, kind) { line in for edit in edits { edit.apply(to: &line) } }
  }

  /// Returns the edits of a text in which "&" separates them.
  static func edits(_ text: String) -> [Edit] {
    text.components(separatedBy: " & ").map(Edit.init)
  }

  /// A change of one field, which may be within the objects or texts of others.
  struct Edit: Sendable {
    let path: [String]
    let value: String

    init(_ path: [String], _ value: String) {
      self.path = path
      self.value = value
    }

    init(_ text: String) {
      let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
      precondition(parts.count == 2, "an edit has a path and a value: \(text)")
      self.init(parts[0].split(separator: "/").map(String.init), parts[1])
    }

    func apply(to line: inout JSONLine) { apply(path[...], to: &line) }

    private func apply(_ path: ArraySlice<String>, to line: inout JSONLine) {
      guard let first = path.first else { return }
      // A header has the case that the line uses.
      let name = line.fields.first { $0.name.lowercased() == first.lowercased() }?.name ?? first
      guard path.count == 1 else {
        line.edit(name) { apply(path.dropFirst(), to: &$0) }
        return
      }
      if value == "-" {
        line.fields.removeAll { $0.name == name || first == "*" }
      } else if value.hasPrefix(">") {
        let parts = value.dropFirst().split(separator: " ", maxSplits: 1)
        line.add(String(parts[0]), raw: String(parts[1]))
      } else if value.hasPrefix("<") {
        let parts = value.dropFirst().split(separator: " ", maxSplits: 1)
        line.precede(name, as: String(parts[0]), raw: String(parts[1]))
      } else {
        line.set(name, raw: value)
      }
    }
  }

  /// Returns the names that equal `name` for some decoder: itself, with an escape, in capitals, and by
  /// Unicode's folding, all of which Go's decoder accepts.
  private static func names(equalTo name: String) -> [String] {
    let digits = String(name.unicodeScalars.first?.value ?? 0, radix: 16)
    let twin = name.replacing("k", with: "\u{212A}", maxReplacements: 1)
      .replacing("s", with: "\u{17F}", maxReplacements: 1)
    return [name, #"\u00"# + digits + name.dropFirst(), name.uppercased()]
      + (twin == name ? [] : [twin])
  }
}
