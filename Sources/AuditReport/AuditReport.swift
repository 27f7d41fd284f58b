// AuditReport
