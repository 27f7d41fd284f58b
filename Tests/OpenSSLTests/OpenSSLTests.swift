// OpenSSLTests
