import AuditLog
import AuditSettings
import Basics
import Files
import LogDiscovery

struct PipelineText {
  let discovery: Discovery
  /// The paths in the form that the file has to name.
  let inputs, anchors, receiptAnchors: [String]
  let keys: String?

  var text: String {
    let lines =
      [
        "# Written by attest-audit init from \(discovery.sample.count) lines of the log. Read it before "
          + "you rely on it:",
        "# decide about lines with 'perhaps', 'left out' or 'not found'.", "version: 1", "",
      ] + inputLines + [""] + AppsSection(apps: discovery.apps).lines + [""] + trustLines + [""]
      + keyLines + SchemaSection(draft: discovery.draft, sample: discovery.sample).lines
    return lines.map { $0 + "\n" }.joined()
  }

  private var inputLines: [String] {
    let written = inputs.filter { $0 != "-" && YAMLText.isPlainLine($0) }
    guard !written.isEmpty else {
      return ["# inputs: none here; name them on the command line"]
    }
    return ["inputs: [\(written.map(YAMLText.scalar).joined(separator: ", "))]"]
  }

  private var keyLines: [String] {
    keys.map { ["keys: \(YAMLText.scalar($0))", ""] } ?? []
  }

  private var trustLines: [String] {
    let sections = [("anchors", anchors), ("receiptAnchors", receiptAnchors)]
      .filter { !$0.1.isEmpty }
    guard !sections.isEmpty else {
      return ["# trust: Apple's root certificates, because no others were named"]
    }
    return ["trust:"]
      + sections.map { name, files in
        "  \(name): [\(files.map(YAMLText.scalar).joined(separator: ", "))]"
      }
  }
}

/// The folder of a pipeline file, from which the paths in it start.
struct PipelineFolder {
  /// The path from the folder to the working directory, or nil if only an absolute one leads there.
  private let back: String?

  /// Makes the folder of the file at `path`, or the working directory for nil.
  init(of path: String?) {
    guard let path, let slash = path.lastIndex(of: "/") else {
      back = ""
      return
    }
    let names = path[..<slash].split(separator: "/").filter { $0 != "." }
    back =
      path.hasPrefix("/") || names.contains("..")
      ? nil : String(repeating: "../", count: names.count)
  }

  /// Returns a path of the working directory in the form that the file has to use.
  func relative(_ path: String) -> String {
    if path.hasPrefix("/") || path == "-" { return path }
    guard let back else { return PathText.join(PathText.resolved(".") ?? ".", path) }
    return back + path
  }
}

/// The file that is written. It replaces another one only if that is asked for.
struct PipelineTarget {
  let path: String
  private let overwrite: Bool

  /// Throws a ``CommandError`` of status 73 if the file exists and is not to be replaced.
  init(path: String, overwrite: Bool) throws(CommandError) {
    self.path = path
    self.overwrite = overwrite
    guard !path.isEmpty else { throw CommandError(.usage, "--out: '' is not a path") }
    let status = FileStatus(path: path)
    if let status, status.kind != .file {
      throw CommandError(
        .cannotWrite, "\(path) is not a file that can be replaced",
        hint: "leave out --out to write the file to standard output")
    }
    if status != nil, !overwrite { throw Self.exists(path) }
  }

  private static func exists(_ path: String) -> CommandError {
    CommandError(.cannotWrite, "\(path) exists already", hint: "use --overwrite to replace it")
  }

  /// Writes the text as a whole or not at all: beside the file, then renamed into place.
  func write(_ text: String) throws(CommandError) {
    do throws(AuditError) {
      let file = try ReplacingFile(path: path, mode: 0o666)
      try file.append(Array(text.utf8).span)
      try file.putInPlace(taken: overwrite ? .replaced : .refused)
    } catch {
      if error.isTaken, !overwrite { throw Self.exists(path) }
      throw CommandError(.cannotWrite, error.told("cannot write", path).context)
    }
  }
}
