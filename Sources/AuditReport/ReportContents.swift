internal import AuditEngine

/// The optional files of a report.
package struct ReportContents: Sendable {
  /// Whether `verdicts.csv.zst` is wanted.
  package var verdicts = false
  /// Whether `events.csv.zst` and its index are wanted.
  package var index = false
  /// Whether `report.html` is wanted.
  package var page = false
  /// The further formats of findings that are wanted.
  package var formats: [FindingFormat] = []
  /// The settings for the summary and the page, or nil if they are not kept.
  package var settings: RecordedSettings?

  /// The day that the run is about, `2026-11-20`, or empty if it has none.
  package var day = ""

  package init(
    verdicts: Bool = false, index: Bool = false, page: Bool = false,
    formats: [FindingFormat] = [], settings: RecordedSettings? = nil, day: String = ""
  ) {
    self.verdicts = verdicts
    self.index = index
    self.page = page
    self.formats = formats
    self.settings = settings
    self.day = day
  }

  /// The formats of findings in the report, each once, in the order of ``FindingFormat``.
  var allFormats: [FindingFormat] {
    FindingFormat.allCases.filter { $0.isInEveryReport || formats.contains($0) }
  }
}
