// CommandTests
