// AuditEngineTests
