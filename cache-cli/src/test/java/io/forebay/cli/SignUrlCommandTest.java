package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import io.forebay.server.config.ProtectionProfile.UrlKey;
import io.forebay.server.config.Secret;
import io.forebay.server.network.IpAddress;
import io.forebay.server.protect.url.UrlSignature;
import io.forebay.server.protect.url.UrlSignature.Verdict;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What {@code forebay sign-url} prints is what a node takes. */
final class SignUrlCommandTest {
  private static final String SECRET = "a secret that is long enough";

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... more) throws Exception {
    Path file = Files.writeString(directory.resolve("secret"), SECRET + "\n");
    List<String> arguments = new ArrayList<>(List.of("sign-url"));
    arguments.addAll(List.of("--key-id", "k1", "--secret-file", file.toString()));
    arguments.addAll(List.of(more));
    CommandLine line = Forebay.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments.toArray(String[]::new));
  }

  private static Verdict verdict(String url, String client, long afterSeconds) {
    UrlSignature signature =
        UrlSignature.of(
            new SignedUrlConfig(
                SignedUrlConfig.Type.HMAC,
                List.of("token"),
                false,
                List.of(new UrlKey("k1", new Secret(SECRET)))));
    TargetUri uri = Objects.requireNonNull(TargetUri.parse(url));
    IpAddress address = IpAddress.of(client);
    return signature.verify(
        SyntheticRequest.of("GET", uri, HeaderFields.EMPTY),
        address.hi(),
        address.lo(),
        Instant.now().getEpochSecond() + afterSeconds);
  }

  @Test
  void theUrlIsValidUntilItExpires() throws Exception {
    assertEquals(0, run("--valid", "600", "https://a.example/x/./y?id=1"));
    String url = out.toString().strip();
    assertTrue(url.startsWith("https://a.example/x/y?id=1&token=k1~"), url);
    assertEquals(Verdict.VALID, verdict(url, "192.0.2.1", 0));
    assertEquals(Verdict.EXPIRED, verdict(url, "192.0.2.1", 601));
    assertEquals(Verdict.INVALID, verdict(url.replace("id=1", "id=2"), "192.0.2.1", 0));
  }

  @Test
  void prefixAndNetworkAreSignedAndJsonHasTheParts() throws Exception {
    assertEquals(
        0, run("--json", "--prefix", "/v/", "--network", "2001:db8::/32", "http://a.example/v/1"));
    JsonNode json = JsonMapper.shared().readTree(out.toString());
    String url = json.path("url").asString("");
    assertEquals("http://a.example/v/1?token=" + json.path("token").asString(""), url);
    assertEquals(Verdict.VALID, verdict(url.replace("/v/1", "/v/2"), "2001:db8::9", 0));
    assertEquals(Verdict.INVALID, verdict(url, "192.0.2.1", 0));
    assertTrue(json.path("expires").asLong() > 0);
  }

  @Test
  void wrongUseIsSaid() throws Exception {
    assertEquals(2, run("/x"));
    assertEquals(2, run("--prefix", "/v", "http://a.example/v/1"));
    assertTrue(err.toString().contains("--prefix ends with a slash"), err.toString());
  }
}
