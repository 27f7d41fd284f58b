extension FindingCatalogue {
  /// The faults of an input as a whole.
  package static let stream: [FindingEntry] = [
    FindingEntry(
      .streamCorrupt, "stream.corrupt", .high, "damaged log",
      decision: .none,
      meaning: "A frame or member of the input is damaged; what could be found around it was read.",
      abuse: "A few bytes are damaged to make requests vanish from the audit.",
      harmless: "A broken disk or transfer.",
      remedy: "Fetch the file again and audit it; the detail names the lines concerned."),
    FindingEntry(
      .streamMissing, "stream.missing", .high, "expected log did not arrive",
      decision: .none,
      meaning: "An input that the pipeline file expects brought fewer lines than it must.",
      abuse: "A log is kept from the audit.",
      harmless: "The shipper or the gateway was down; a path changed.",
      remedy: "Find out why the log did not arrive, deliver it, and run the audit again."),
    FindingEntry(
      .streamTruncated, "stream.truncated", .high, "log cut short",
      decision: .none,
      meaning: "The compressed stream ends early; what stands before it was read.",
      abuse: "The end of a log is cut off.",
      harmless: "The file was still being written or copied.",
      remedy: "Fetch the whole file and audit it."),
    FindingEntry(
      .streamUnreadable, "stream.unreadable", .high, "log that cannot be read",
      decision: .none,
      meaning: "The input cannot be opened or read.",
      abuse: "A log is kept from the audit.",
      harmless: "Missing permissions; a path that is wrong.",
      remedy: "Read the reason in the detail, mend it, and run the audit again."),
  ]
}
