/// Authorities with keys of RSA, 1,024 bits, minted once with python3-cryptography.
enum RSAAuthority {
  /// Its public exponent is as long as its modulus: a verification costs what a signature does.
  static let dear = SmallPKI.der(
    """
    MIIB6jCCAY+gAwIBAgIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDAREZWFyMB4XDTI1MDEwMTAwMDAwMFoXDTI3MDEw\
    MTAwMDAwMFowDzENMAsGA1UEAwwERGVhcjCCASAwDQYJKoZIhvcNAQEBBQADggENADCCAQgCgYEAwBhyvD6qQcVHxa7M\
    OrQLjmCJdaQCFek1L5j+66V5lmfr4OcUWfTpNAmm6pynQ280VvQ2gq7g6AnRZsk/kejF4B794hG993Evp/VkmseEIU7w\
    qzTUh2+rWr1JyH+XftIdyyFsSRaH9SV3iJOOKJs51lGPKs30to+DJasvTzN3+AECgYEAwBhyvD6qQcVHxa7MOrQLjmCJ\
    daQCFek1L5j+66V5lmfr4OcUWfTpNAmm6pynQ280VvQ2gq7g6AnRZsk/kejF4B794hG993Evp/VkmseEIU7wqzTUh2+r\
    Wr1JyH+XftIdyyFsSRaH9SV3iJOOKJs51lGPKs30to+DJasvTzN39/+jEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI\
    zj0EAwIDSQAwRgIhAPBrm4RAy8DbJl3pg9cNGetOk37obxQsQeivl/BZLVt9AiEA2LSixlNCP5lQXWGl3Bj2DES1cc/S\
    axZoPE6EUsTifNU=
    """)
  /// Its public exponent is 65,537.
  static let usual = SmallPKI.der(
    """
    MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDAREZWFyMB4XDTI1MDEwMTAwMDAwMFoXDTI3MDEw\
    MTAwMDAwMFowDzENMAsGA1UEAwwERGVhcjCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAwBhyvD6qQcVHxa7MOrQL\
    jmCJdaQCFek1L5j+66V5lmfr4OcUWfTpNAmm6pynQ280VvQ2gq7g6AnRZsk/kejF4B794hG993Evp/VkmseEIU7wqzTU\
    h2+rWr1JyH+XftIdyyFsSRaH9SV3iJOOKJs51lGPKs30to+DJasvTzN3+AECAwEAAaMTMBEwDwYDVR0TAQH/BAUwAwEB\
    /zAKBggqhkjOPQQDAgNJADBGAiEAmPGGI7t/9kY5OgC7s1L7rAkoK3M+Leluiq0YlxM2jPYCIQDF8ospeuYr3oN6cDrr\
    XQboMKynp2V74/hngA4yWsYUYw==
    """)
}
