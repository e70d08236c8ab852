package io.forebay.server.origin.sign;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.Secret;
import io.forebay.server.config.SigningConfig.HmacConfig;
import io.forebay.testing.Commands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verifier of docs/PROXYING.md, run by Python. */
@Tag("full")
final class MessageVerifierTest {
  private static final Instant TIME = Instant.ofEpochSecond(1618884473);

  @TempDir private Path directory;

  private static String verifier() throws Exception {
    String text = Files.readString(Path.of("../docs/PROXYING.md"));
    int begin = text.indexOf("```python\n") + "```python\n".length();
    return text.substring(begin, text.indexOf("```", begin));
  }

  private static String call(String method, String target, HeaderFields fields, long now) {
    StringBuilder dictionary = new StringBuilder("{");
    fields.forEach((name, value) ->
        dictionary.append("'").append(name).append("': '").append(value).append("', "));
    return "print(is_from_the_edge('%s', '%s', %s}, lambda: %d))\n"
        .formatted(method, target, dictionary, now);
  }

  @Test
  void theDocumentedVerifierAcceptsWhatIsSignedAndNothingElse() throws Exception {
    HeaderFields signed = signed("0123456789abcdef");
    HeaderFields other = signed("another-key-of-16");
    long now = TIME.getEpochSecond();
    String program =
        verifier()
            + call("GET", "/a%20b?c=d", signed, now)
            + call("GET", "/a%20b?c=d", signed, now + 299)
            + call("HEAD", "/a%20b?c=d", signed, now)
            + call("GET", "/a%20b", signed, now)
            + call("GET", "/?c=d", signed, now)
            + call("GET", "/a%20b?c=d", signed, now + 301)
            + call("GET", "/a%20b?c=d", signed, now - 301)
            + call("GET", "/a%20b?c=d", other, now)
            + call("GET", "/a%20b?c=d", HeaderFields.of("host", "www.example"), now)
            + call("GET", "/a%20b?c=d", with(signed, "host", "other.example"), now);
    Path file = Files.writeString(directory.resolve("verify.py"), program);
    assertEquals(
        List.of(
            "True", "True", "False", "False", "False", "False", "False", "False", "False", "False"),
        Commands.run("python3", file.toString()).orFail().out().lines().toList());
  }

  /** The example of the documentation is one. */
  @Test
  void theDocumentedSignatureIsThatOfADocumentedRequest() throws Exception {
    HeaderFields signed = signed("0123456789abcdef");
    String text = Files.readString(Path.of("../docs/PROXYING.md"));
    assertEquals(
        "Signature-Input: "
            + signed.first("signature-input")
            + "\nSignature: "
            + signed.first("signature"),
        text.substring(
            text.indexOf("Signature-Input: forebay="),
            text.indexOf("\n```", text.indexOf("Signature-Input: forebay="))));
  }

  private static HeaderFields signed(String key) {
    return new MessageSigner(new HmacConfig("edge", new Secret(key)), InstantSource.fixed(TIME))
        .sign(
            new SignableRequest(
                "GET",
                "/a%20b?c=d",
                HeaderFields.of("host", "www.example"),
                false,
                "www.example",
                false))
        .fields();
  }

  private static HeaderFields with(HeaderFields fields, String name, String value) {
    HeaderFields.Builder out = HeaderFields.builder().add(name, value);
    fields.without(name::equals).forEach(out::add);
    return out.build();
  }
}
