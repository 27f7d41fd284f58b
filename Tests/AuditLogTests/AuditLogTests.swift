// AuditLogTests
