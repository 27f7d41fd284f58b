// AuditReportTests
