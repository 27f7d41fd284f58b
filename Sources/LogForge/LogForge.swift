// LogForge
