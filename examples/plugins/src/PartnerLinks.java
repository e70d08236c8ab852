import io.forebay.plugin.ClientRequest;
import io.forebay.plugin.Handler;
import io.forebay.plugin.Plugin;
import io.forebay.plugin.PluginConfig;
import io.forebay.plugin.PluginConfigException;
import io.forebay.plugin.PluginInfo;
import io.forebay.plugin.RequestDecision;
import io.forebay.plugin.RequestPhase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Lets in requests with a link that a partner has signed: {@code ?partner=NAME&until=SECONDS&sig=HEX},
 * where {@code sig} is the HMAC-SHA256 of {@code PATH\nNAME\nSECONDS} by the partner's secret.
 *
 * <pre>
 *   plugin: {name: partner-links, config: {secrets-file: FILE}}     lines NAME=SECRET
 * </pre>
 */
@PluginInfo(name = "partner-links", api = Plugin.API_VERSION)
public final class PartnerLinks implements Plugin {

  @Override
  public Handler handler(PluginConfig config) throws PluginConfigException {
    String file = config.requiredText("secrets-file");
    Map<String, SecretKeySpec> secrets = new HashMap<>();
    try {
      for (String line : Files.readAllLines(Path.of(file))) {
        int equals = line.indexOf('=');
        if (equals > 0) {
          byte[] secret = line.substring(equals + 1).getBytes(StandardCharsets.UTF_8);
          secrets.put(line.substring(0, equals), new SecretKeySpec(secret, "HmacSHA256"));
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new PluginConfigException("secrets-file", file + " cannot be read: " + e.getMessage());
    }
    if (secrets.isEmpty()) {
      throw new PluginConfigException("secrets-file", file + " has no line NAME=SECRET");
    }
    return (RequestPhase) request -> decide(request, secrets);
  }

  private static RequestDecision decide(
      ClientRequest request, Map<String, SecretKeySpec> secrets) {
    String partner = request.parameter("partner").orElse("");
    String until = request.parameter("until").orElse("");
    SecretKeySpec secret = secrets.get(partner);
    if (secret == null || !until.matches("\\d{1,12}")) {
      return RequestDecision.deny(403, "this link is not signed by a partner");
    }
    byte[] expected = signature(request.path() + "\n" + partner + "\n" + until, secret);
    byte[] given = bytes(request.parameter("sig").orElse(""));
    if (!MessageDigest.isEqual(expected, given)) {
      return RequestDecision.deny(403, "the signature of this link is wrong");
    }
    return request.time().getEpochSecond() > Long.parseLong(until)
        ? RequestDecision.deny(410, "this link has expired")
        : RequestDecision.proceed();
  }

  /** Of hexadecimal digits; nothing of anything else. */
  private static byte[] bytes(String hex) {
    return hex.matches("([0-9a-f]{2}){1,64}") ? HexFormat.of().parseHex(hex) : new byte[0];
  }

  static byte[] signature(String text, SecretKeySpec secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(secret);
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
