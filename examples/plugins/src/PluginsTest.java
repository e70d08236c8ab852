import io.forebay.plugin.FieldEdits;
import io.forebay.plugin.OriginRequestEdits;
import io.forebay.plugin.PluginConfigException;
import io.forebay.plugin.RequestDecision;
import io.forebay.plugin.test.PluginTester;
import io.forebay.plugin.test.TestRequest;
import io.forebay.plugin.test.TestResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;

/** Runs both plugins without a node. A main method is enough; JUnit works as well. */
final class PluginsTest {

  public static void main(String[] args) throws PluginConfigException {
    links();
    devices();
    System.out.println("all as expected");
  }

  private static void links() throws PluginConfigException {
    SecretKeySpec secret =
        new SecretKeySpec("a long secret".getBytes(StandardCharsets.UTF_8), "HmacSHA256");
    String sig =
        HexFormat.of().formatHex(PartnerLinks.signature("/films/1\nacme\n1000", secret));
    TestRequest signed =
        TestRequest.get("https://a.example/films/1?partner=acme&until=1000&sig=" + sig);
    try (PluginTester links =
        PluginTester.of(new PartnerLinks(), Map.of("secrets-file", "partners.txt"))) {
      check(links.onRequest(signed.at(Instant.ofEpochSecond(999))), RequestDecision.proceed());
      check(
          links.onRequest(signed.at(Instant.ofEpochSecond(1001))),
          RequestDecision.deny(410, "this link has expired"));
      check(
          links.onRequest(TestRequest.get("https://a.example/films/1")),
          RequestDecision.deny(403, "this link is not signed by a partner"));
    }
  }

  private static void devices() throws PluginConfigException {
    try (PluginTester devices = PluginTester.of(new DeviceClass(), Map.of("error-ttl", "5"))) {
      TestRequest phone =
          TestRequest.get("https://a.example/").with("User-Agent", "Mozilla/5.0 (iPhone) Mobile");
      check(devices.onRequest(phone), RequestDecision.proceed().inGroup("phone"));
      check(
          devices.onOriginRequest(phone, "phone"),
          OriginRequestEdits.of(FieldEdits.NONE.set("X-Device", "phone")));
      check(
          devices.onOriginResponse(TestResponse.of(503)).ttl().orElseThrow(),
          Duration.ofSeconds(5));
      check(
          devices.onDelivery(phone, TestResponse.of(200)),
          FieldEdits.NONE.set("X-Device", "phone"));
    }
  }

  private static void check(Object is, Object expected) {
    if (!is.equals(expected)) {
      throw new AssertionError(is + ", expected " + expected);
    }
  }
}
