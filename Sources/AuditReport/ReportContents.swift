internal import AuditEngine

/// The optional files of a report.
package struct ReportContents: Sendable {
  /// True where `verdicts.csv.zst` is wanted.
  package var verdicts = false
  /// True where `events.csv.zst` and its index are wanted.
  package var index = false
  /// True where `report.html` is wanted.
  package var page = false
  /// The further formats of findings that are wanted.
  package var formats: [FindingFormat] = []
  /// The settings that decide what is found, for the summary and the page, or nil if they are not
  /// kept.
  package var settings: RecordedSettings?

  package init(
    verdicts: Bool = false, index: Bool = false, page: Bool = false,
    formats: [FindingFormat] = [], settings: RecordedSettings? = nil
  ) {
    self.verdicts = verdicts
    self.index = index
    self.page = page
    self.formats = formats
    self.settings = settings
  }

  /// The formats of findings in the report, each once, in the order of ``FindingFormat``.
  var allFormats: [FindingFormat] {
    FindingFormat.allCases.filter { $0.isInEveryReport || formats.contains($0) }
  }
}
