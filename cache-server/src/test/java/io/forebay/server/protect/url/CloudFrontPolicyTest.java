package io.forebay.server.protect.url;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.forebay.server.network.IpAddress;
import io.forebay.server.protect.url.UrlSignature.Verdict;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies as Amazon's documentation has them, and what is none. */
final class CloudFrontPolicyTest {
  private static final IpAddress CLIENT = IpAddress.of("192.0.2.7");

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String policy(String resource, String conditions) {
    return "{\"Statement\":[{\"Resource\":\""
        + resource
        + "\",\"Condition\":{"
        + conditions
        + "}}]}";
  }

  private static Verdict judge(String policy, String url, long now) {
    return requireNonNull(CloudFrontPolicy.parse(bytes(policy)), policy)
        .judge(url, CLIENT.hi(), CLIENT.lo(), now);
  }

  @ParameterizedTest
  @CsvSource({
    "https://a.example/v/*,https://a.example/v/1/x.ts,VALID",
    "https://a.example/v/*,https://a.example/w,INVALID",
    "https://a.example/v/*,https://b.example/v/1,INVALID",
    "https://a.example/v/*,http://a.example/v/1,INVALID",
    "http*://a.example/v/*,http://a.example/v/1,VALID",
    "https://*,https://b.example/any?x=y,VALID",
    "*,http://b.example/,VALID",
    "https://a.example/v/?.ts,https://a.example/v/1.ts,VALID",
    "https://a.example/v/?.ts,https://a.example/v/12.ts,INVALID",
    "https://a.example/v?size=large,https://a.example/v?size=large,VALID",
    "https://a.example/v,https://a.example/v?size=large,INVALID"
  })
  void aResourceHasWildcards(String resource, String url, Verdict expected) {
    String times = "\"DateLessThan\":{\"AWS:EpochTime\":1000}";
    assertEquals(expected, judge(policy(resource, times), url, 999));
  }

  @Test
  void timesAndAddressesLimitIt() {
    String conditions =
        "\"IpAddress\":{\"AWS:SourceIp\":\"192.0.2.9/24\"},"
            + "\"DateGreaterThan\":{\"AWS:EpochTime\":500},"
            + "\"DateLessThan\":{\"AWS:EpochTime\":1000}";
    String policy = policy("*", conditions);
    assertEquals(Verdict.INVALID, judge(policy, "http://a/", 500));
    assertEquals(Verdict.VALID, judge(policy, "http://a/", 501));
    assertEquals(Verdict.VALID, judge(policy, "http://a/", 999));
    assertEquals(Verdict.EXPIRED, judge(policy, "http://a/", 1000));
    assertEquals(
        Verdict.INVALID, judge(policy.replace("192.0.2.9", "198.51.100.1"), "http://a/", 700));
    assertEquals(
        Verdict.INVALID,
        judge(policy.replace("192.0.2.9/24", "192.0.2.9"), "http://a/", 700),
        "one address");
    String any = "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9}}}]}";
    assertEquals(Verdict.VALID, judge(any, "http://whatever/", 8));
  }

  @Test
  void blanksAreAllowed() {
    assertNotNull(
        CloudFrontPolicy.parse(
            bytes(
                " { \"Statement\" : [ { \"Condition\" :\n { \"DateLessThan\" : {"
                    + " \"AWS:EpochTime\" : 9 } } } ] } ")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "null",
        "{\"Statement\":[]}",
        "{\"Statement\":{}}",
        "{\"Statement\":[{\"Condition\":{}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":9}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":\"9\"}}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9.5}}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":-9}}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":999999999999}}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9}}}],\"Id\":1}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9}}}]} x",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9},\"Other\":{}}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9,\"x\":1}}}]}",
        "{\"Statement\":[{\"Effect\":\"Deny\",\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9}}}]}",
        "{\"Statement\":[{\"Resource\":[\"*\"],\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9}}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9}}},{\"Condition\":{}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9},\"IpAddress\":{}}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9},\"IpAddress\":{\"AWS:SourceIp\":\"home\"}}}]}",
        "{\"Statement\":[{\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":9},\"DateLessThan\":{\"AWS:EpochTime\":99}}}]}"
      })
  void whatIsNoPolicyAdmitsNobody(String text) {
    assertNull(CloudFrontPolicy.parse(bytes(text)));
  }

  @Test
  void depthIsBounded() {
    assertNull(CloudFrontPolicy.parse(bytes("{\"Statement\":" + "[".repeat(5000))));
  }
}
