// Whoever uses the audit uses the codes of its findings, and its errors.
@_exported public import Files
@_exported public import FindingCodes
