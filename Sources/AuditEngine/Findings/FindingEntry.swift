/// What is known of one finding code: the one place where it is written.
///
/// The audit, its reports, the command line and the documentation read names, severities and
/// explanations from here.
package struct FindingEntry: Sendable {
  package let code: FindingCode
  /// The public code, `family.word`.
  package let name: String
  /// A few words for people, without a full stop: `signed request used twice`.
  package let title: String
  /// The severity before the server's decision and the pipeline file are considered.
  package let severity: Severity
  /// Whether the server's own decision raises or lowers the severity.
  package let followsDecision: Bool
  /// What was found, in one or two sentences.
  package let meaning: String
  /// How an attacker makes use of it.
  package let abuse: String
  /// What innocent cause it may have.
  package let harmless: String
  /// What to do about it.
  package let remedy: String

  /// The part of the name before the point.
  package var family: Substring { name.prefix { $0 != "." } }

  /// Makes an entry whose severity follows the server's decision unless `followsDecision` is false.
  init(
    _ code: FindingCode, _ name: String, _ severity: Severity, _ title: String,
    followsDecision: Bool = true, meaning: String, abuse: String, harmless: String, remedy: String
  ) {
    self.code = code
    self.name = name
    self.title = title
    self.severity = severity
    self.followsDecision = followsDecision
    self.meaning = meaning
    self.abuse = abuse
    self.harmless = harmless
    self.remedy = remedy
  }
}
