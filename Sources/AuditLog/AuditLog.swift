// AuditLog
