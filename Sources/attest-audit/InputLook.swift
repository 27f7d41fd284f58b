import AuditLog
import AuditSettings
import Files

/// The inputs that exist now, found without opening them.
struct InputLook {
  /// An input that does not exist.
  struct Complaint: Equatable {
    /// The message, such as `the input 'logs': no such file or directory`.
    var text: String
    /// The name that was probably meant.
    var hint: String?
  }

  private(set) var complaints: [Complaint] = []
  private var files = 0
  private var repeated = 0
  private var bytes: UInt64 = 0

  /// Looks for the inputs.
  ///
  /// - `notice`: called with a line for each entry that is skipped.
  init(_ inputs: [String], followsLinks: Bool = false, notice: (String) -> Void = { _ in }) {
    let sources = InputPlan.sources(
      inputs, standardInputName: "-", follows: followsLinks, notice: notice)
    for source in sources {
      switch source.origin {
      case .unreadable(let reason):
        complaints.append(
          Complaint(text: "the input '\(source.name)': \(reason)", hint: Self.hint(source.name)))
      case .duplicate: repeated += 1
      case .file:
        files += 1
        bytes += source.size
      case .standardInput, .known, .waiting: continue
      }
    }
  }

  /// The result in words, such as `12 files, 3.4 MiB, 2 of them named twice`.
  var words: String {
    "\(files) \(files == 1 ? "file" : "files"), "
      + ProgressText.size(Int(clamping: bytes))
      + (repeated > 0 ? ", \(repeated) named twice" : "")
  }

  /// Returns whether a path leads to something, or a glob matches something. Standard input exists.
  static func exists(_ input: String) -> Bool {
    if input == "-" || FileStatus(path: input, followsLinks: false) != nil { return true }
    guard input.contains(where: { "*?[".contains($0) }) else { return false }
    // What a glob finds might be unreadable, or links that are not followed: the audit says so.
    var hasLinks = false
    let sources = InputPlan.sources([input], standardInputName: "-") { _ in hasLinks = true }
    return hasLinks
      || sources.contains { if case .file = $0.origin { true } else { $0.name != input } }
  }

  /// Returns the nearest name to one that does not exist, or nil for globs and if no name is near.
  static func hint(_ path: String) -> String? {
    var names = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    while names.last == "" { names.removeLast() }
    guard let last = names.popLast(), !last.contains(where: { "*?[".contains($0) }) else {
      return nil
    }
    let folder = names.joined(separator: "/")
    let root = names.first == "" && names.count == 1 ? "/" : folder.isEmpty ? "." : folder
    guard FileStatus(path: path) == nil, let beside = try? Folder(path: root).names(),
      let nearest = NearestName.of(String(last), among: beside)
    else { return nil }
    return "did you mean '\(folder.isEmpty && root == "." ? "" : folder + "/")\(nearest)'?"
  }
}
