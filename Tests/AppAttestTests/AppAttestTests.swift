// AppAttestTests
