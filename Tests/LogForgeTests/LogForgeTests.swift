// LogForgeTests
