extension FindingCatalogue {
  /// The faults of an input as a whole.
  package static let stream: [FindingEntry] = [
    FindingEntry(
      .streamCorrupt, "stream.corrupt", .high, "damaged log",
      decision: .none,
      meaning:
        "A frame or member of the input is damaged. Everything around it that could be found was "
        + "read.",
      abuse: "An attacker damages a few bytes so that requests vanish from the audit.",
      harmless: "A disk or a transfer failed.",
      remedy: "Fetch the file again and audit it. The detail names the lines concerned."),
    FindingEntry(
      .streamMissing, "stream.missing", .high, "expected log did not arrive",
      decision: .none,
      meaning: "An input that the pipeline file expects has fewer lines than it must have.",
      abuse: "An attacker keeps a log from the audit.",
      harmless: "The log shipper or the gateway was down, or a path changed.",
      remedy: "Find out why the log did not arrive. Deliver it, and run the audit again."),
    FindingEntry(
      .streamTruncated, "stream.truncated", .high, "log cut short",
      decision: .none,
      meaning: "The compressed stream ends early. Everything before its end was read.",
      abuse: "An attacker cuts off the end of a log.",
      harmless: "Another program was still writing or copying the file.",
      remedy: "Fetch the whole file and audit it."),
    FindingEntry(
      .streamUnreadable, "stream.unreadable", .high, "log that cannot be read",
      decision: .none,
      meaning: "The input cannot be opened or read.",
      abuse: "An attacker keeps a log from the audit.",
      harmless: "Permissions are missing, or the path is wrong.",
      remedy: "Read the reason in the detail. Correct it, and run the audit again."),
  ]
}
