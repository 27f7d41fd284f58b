import FindingCodes
internal import Minting

/// A scene as text: what devices do, step by step, and what an audit finds at each step. Steps are separated by
/// semicolons. Times are in seconds after the beginning of the scene.
///
///     device a | enrol a | import a   a device; one that attests at 0; one of the list of known keys, at counter 50;
///                                     each with an app and a system, if these are named
///     key b a                         a further key on the device of a
///     called a | numbered a | twin b a "Zoe"
///                                     the device has a name, or a number for one; b is a with another first word
///     list b [0]                      the key is in the list of known keys, attested at 0 or long ago
///     fresh x | weak x 15 | bare x    client data of an honest request; of 15 characters; only a hash
///     lossy x y                       client data as the log has it, with a replacement character, and as it was signed
///     noise [16] | point | alias a    random bytes for `noise`; the key of another device for it; another key identifier
///     tag | chain 2 | signer expired  a tag for subjects; a foreign chain; a signer of receipts
///     issue x 10 [attestation]        the challenge is issued
///     attest a 0 …                    an attestation of a
///     a 60 1 …                        an assertion of a, with its counter
///     signed a 60 1 …                 one of `build=` or `rp=`, `by=b`, `over` other data or those of `over=y`, with a nonce
///                                     hashed `once`, or with the authenticator data of the last one `again`; braces
///                                     change its parts
///     perhaps a 60 1 …                one that chance decides on
///     write a 60 1 … | write attest a 0 …
///                                     one that the server did not reject, in a line that brackets change
///     again 20 | copy 20 | same 20 | retry 20 …
///                                     the last request once more, later: with an identifier and a decision of its own;
///                                     with its own identifier; with neither; with its challenge issued again. Or the
///                                     one that was `kept`; `twice`; `respelled` or with parts that braces change
///     line                            the last line once more
///     raw 20 [a] {…}                  a line of a ``LineTemplate``
///     keep                            the last request is the one that is `kept`
///     lie                             chance decides on the platform and the format of `$LIE`
///     flood                           the last request in more shapes than are reported one by one
///     keyed                           logs that name devices only end here
///
/// After that come words: `accepted`, `rejected`, `undecided`, `subject=owner` (`subject=` for none), `data=x`, `unissued`,
/// `stored=3` (`<3` if it was accepted, too; `<` for none), `nonce`, `chain`, `longer`, `forged`, `stripped`,
/// `malformed=3`, `tags=C1`, `hex=0x` (a token with tags, or in hex after a mark), `odd=3`, `oddkey=3` (a token or key
/// identifier in an ``OddBase64``, `?` for any), `app=bank`, `build=7.1:3:cut` (version, category, code hash), `id=x`,
/// `name=x` (a request identifier, which other scenes have not, or have), `server=1`, `unlogged`, `place=1`, `stray=x`
/// (a line that no rule fits, with the token at a ``StrayPlace``; with a member that makes it one). Braces have ``Edits``
/// with `&` between them. Brackets have ``RecordFlaw/Edit``s: bytes of an ``EditValue`` are in ‹ and ›, and an edit of
/// `line` is one of all bytes.
///
/// A word after `!` is the code of a finding, one after `|` of a log that names devices only. A code with a question mark
/// is found if the run plays it, and else the one behind the mark.
struct SceneText: Sendable {
  /// One step: its words, and its codes.
  struct Step: Sendable {
    private struct Find: Sendable {
      var code: FindingCode
      var isAsked: Bool
      var otherwise: FindingCode?
    }

    var words: [Substring]
    var edits = Edits("")
    /// The text in brackets.
    private(set) var line = ""
    private(set) var template: LineTemplate?
    private(set) var isWritten = false
    private var finds: [[Find]]

    /// Returns the codes that are found in a log.
    func finds(
      in scene: borrowing AttackScene, _ kind: LogRecord.Kind = .assertion
    ) -> [FindingCode] {
      let (options, traits) = (scene.options, scene.form.traits)
      return finds[traits.contains(.deviceJoin) ? finds.count - 1 : 0].compactMap { find in
        let isPlayed =
          options.attacks.contains(find.code)
          && (find.code != .challengeExpired || options.writesChallenges(for: kind))
        return !find.isAsked || isPlayed ? find.code : find.otherwise
      }
    }

    init(_ text: Substring) {
      var text = text
      func removeText(in marks: (Character, Character)) -> Substring? {
        guard let start = text.firstIndex(of: marks.0), let end = text.lastIndex(of: marks.1) else {
          return nil
        }
        defer { text.removeSubrange(start...end) }
        return text[start...end]
      }
      line = String((removeText(in: ("[", "]")) ?? "").dropFirst().dropLast())
      let braces = removeText(in: ("{", "}"))
      let parts = text.split(separator: "!", maxSplits: 1)
      words = parts[0].split(separator: " ")
      if words[0] == "raw" {
        template = braces.map { LineTemplate($0) }
      } else if let braces {
        edits = Edits(braces.dropFirst().dropLast().replacing(" & ", with: "; "))
      }
      if words[0] == "write" {
        words.removeFirst()
        isWritten = true
      }
      let logs = (parts.count > 1 ? parts[1] : "").split(
        separator: "|", omittingEmptySubsequences: false)
      finds = logs.map { codes in
        codes.split(separator: " ").map { text in
          let words = text.split(separator: "?")
          return Find(
            code: SceneText.code(words[0]), isAsked: text.contains("?"),
            otherwise: words.count > 1 ? SceneText.code(words[1]) : nil)
        }
      }
    }
  }

  let steps: [Step]
  /// Whether each assertion has the counter that the server had stored.
  let counts: Bool

  private static func code(_ name: Substring) -> FindingCode {
    guard let code = FindingCode.allCases.first(where: { $0.name == name }) else {
      preconditionFailure("no such code: \(name)")
    }
    return code
  }

  /// Returns the attacks of sections of `Data/scenes.txt`. A line of it without indentation is the code of an attack and
  /// what a log has to contain, and a scene in which `%` stands for the lines below it, if they are not scenes themselves.
  /// Each of these is a variant, or one for each number of a range in it, such as `0…3`; it may begin with what it needs,
  /// in brackets.
  static func attacks(_ sections: String...) -> [Attack] {
    sections.flatMap { attacks(in: DataTable.section($0, of: PackageResources.scenes_txt)) }
  }

  private static func attacks(in lines: [Substring]) -> [Attack] {
    var attacks: [Attack] = []
    var (head, frame): ([Substring], Substring) = ([], "%")
    var variants: [(needs: FormTraits, scene: SceneText)] = []
    func end() {
      guard let code = head.first.map(code) else { return }
      let scenes = variants.map(\.scene)
      attacks.append(
        Attack(
          code: code, variants: scenes.count, needs: traits(head.dropFirst()),
          variantNeeds: Dictionary(
            uniqueKeysWithValues: variants.enumerated().map { ($0.offset, $0.element.needs) }),
          play: { (scene, variant) in scenes[variant].play(&scene) }))
      variants = []
    }
    for line in lines {
      guard line.hasPrefix(" ") else {
        end()
        let parts = line.split(separator: " = ", maxSplits: 1)
        head = parts[0].split(separator: " ")
        frame = parts.count > 1 ? parts[1] : "%"
        continue
      }
      var text = line.drop { $0 == " " }
      var needs: FormTraits = []
      if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
        needs = traits(text[..<close].dropFirst().split(separator: " ")[...])
        text = text[text.index(after: close)...].drop { $0 == " " }
      }
      let whole = text.contains(";") ? text : frame.replacing("%", with: text)
      for scene in scenes(String(whole)) {
        let steps = scene.split(separator: ";").map { Step($0) }
        variants.append((needs, SceneText(steps: steps, counts: head.contains("counts"))))
      }
    }
    end()
    return attacks
  }

  /// Returns a text for each number of the range in a text, or the text if there is no range.
  private static func scenes(_ text: String) -> [String] {
    guard let range = text.firstMatch(of: /(\d+)…(\d+)/), let first = Int(range.1),
      let last = Int(range.2)
    else { return [text] }
    return (first...last).map { text.replacing(range.0, with: String($0)) }
  }

  private static func traits(_ names: ArraySlice<Substring>) -> FormTraits {
    let all: [Substring: FormTraits] = [
      "subject": .subject, "challengeRecords": .challengeRecords, "freshRequests": .freshRequests,
      "deviceJoin": .deviceJoin, "serverCounter": .serverCounter, "appID": .appID,
      "requestID": .requestID, "hash": .hash, "platform": .platform, "statuses": .statuses,
      "freeSpelling": .freeSpelling, "textChallenges": .textChallenges, "counts": [],
    ]
    return names.reduce(into: []) { traits, name in
      guard let trait = all[name] else { preconditionFailure("no such trait: \(name)") }
      traits.formUnion(trait)
    }
  }
}
