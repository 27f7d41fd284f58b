import com.sun.net.httpserver.*;
import java.io.*;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Server {
  static final Set<String> challenges = ConcurrentHashMap.newKeySet(), keys = ConcurrentHashMap.newKeySet();

  /** Writes one line: names and values in turn. A value that is null is left out. */
  static void log(String... fields) throws IOException {
    var line = new StringBuilder("{\"time\":" + quote(Instant.now().toString()));
    line.append(",\"requestId\":" + quote(UUID.randomUUID().toString()));
    for (int i = 0; i < fields.length; i += 2)
      if (fields[i + 1] != null) line.append("," + quote(fields[i]) + ":" + quote(fields[i + 1]));
    var path = Path.of(System.getenv("AUDIT_LOG"));
    Files.writeString(path, line + "}\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  static String quote(String text) {
    var quoted = new StringBuilder("\"");
    for (char c : text.toCharArray())
      quoted.append(c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : c);
    return quoted.append('"').toString();
  }

  /** Returns the account as a keyed hash: only who has the key can name the account. */
  static String subject(HttpExchange exchange) throws Exception {
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(System.getenv("SUBJECT_KEY").getBytes(), "HmacSHA256"));
    var account = exchange.getRequestHeaders().getFirst("Authorization");
    return HexFormat.of().formatHex(mac.doFinal(String.valueOf(account).getBytes())).substring(0, 32);
  }

  /** Your JSON library reads the member of an object instead. */
  static String member(String json, String name) {
    var found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").matcher(json);
    return found.find() ? found.group(1).replace("\\/", "/") : null;
  }

  static String challenge(HttpExchange exchange, byte[] body) throws IOException {
    var bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    var challenge = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    challenges.add(challenge);
    log("kind", "challenge", "challenge", challenge);
    return "{\"challenge\":" + quote(challenge) + "}";
  }

  static String attest(HttpExchange exchange, byte[] body) throws Exception {
    var sent = new String(body, StandardCharsets.UTF_8);
    String key = member(sent, "keyId"), challenge = member(sent, "challenge");
    var accepted = key != null && challenge != null && challenges.remove(challenge); // and what your verifier says
    log("kind", "attestation", "keyId", key, "token", member(sent, "attestation"), "challenge", challenge,
        "subject", subject(exchange), "decision", accepted ? "accepted" : "rejected");
    if (accepted) keys.add(key);
    return accepted ? "{}" : null;
  }

  static String transfer(HttpExchange exchange, byte[] body) throws Exception {
    var headers = exchange.getRequestHeaders();
    var key = headers.getFirst("X-App-Key-Id");
    var accepted = key != null && keys.contains(key); // and what your verifier says
    log("kind", "assertion", "keyId", key, "token", headers.getFirst("X-App-Assertion"),
        "clientData", Base64.getEncoder().encodeToString(body), "subject", subject(exchange),
        "decision", accepted ? "accepted" : "rejected");
    return accepted ? "{}" : null;
  }

  interface Route { String answer(HttpExchange exchange, byte[] body) throws Exception; }

  public static void main(String[] arguments) throws IOException {
    var port = Integer.parseInt(System.getenv("PORT"));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    Map<String, Route> routes = Map.of(
        "/challenge", Server::challenge, "/attest", Server::attest, "/transfers", Server::transfer);
    routes.forEach((path, route) -> server.createContext(path, exchange -> {
      try (exchange) {
        var answer = route.answer(exchange, exchange.getRequestBody().readAllBytes());
        exchange.sendResponseHeaders(answer != null ? 200 : 403, 0);
        exchange.getResponseBody().write((answer != null ? answer : "{}").getBytes());
      } catch (Exception error) {
        throw new IOException(error);
      }
    }));
    server.start();
  }
}
