// Whoever uses the audit uses the codes of its findings.
@_exported public import FindingCodes
