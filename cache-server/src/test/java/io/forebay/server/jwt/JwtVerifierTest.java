package io.forebay.server.jwt;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.jwt.JwtExpectations.RequiredClaim;
import io.forebay.testing.JwtSigner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What tokens are valid: vectors of the RFCs, tokens that the JDK signed, and hostile ones. */
final class JwtVerifierTest {
  private static final long NOW = 1_700_000_000;
  private static final String CLAIMS =
      "{\"iss\":\"i\",\"aud\":\"a\",\"sub\":\"alice\",\"exp\":" + (NOW + 100) + "}";
  private static final JwtSigner RSA = JwtSigner.of("r", "RS256");
  private static final JwtSigner EC = JwtSigner.of("e", "ES256");
  private static final Set<JwtAlgorithm> PUBLIC =
      EnumSet.of(
          JwtAlgorithm.RS256,
          JwtAlgorithm.PS256,
          JwtAlgorithm.ES256,
          JwtAlgorithm.ES384,
          JwtAlgorithm.ES512,
          JwtAlgorithm.EDDSA);

  @TempDir Path directory;

  private static VerificationKeys keys(String set) throws IOException {
    return VerificationKeys.parse(set.getBytes(StandardCharsets.UTF_8));
  }

  private static VerificationKeys keys(JwtSigner... signers) throws IOException {
    return keys(JwtSigner.set(signers));
  }

  private static JwtExpectations expecting(Set<JwtAlgorithm> algorithms) {
    return new JwtExpectations(algorithms, null, List.of(), List.of(), 10);
  }

  private static JwtVerdict verify(String token, VerificationKeys keys) {
    return JwtVerifier.verify(token, keys, expecting(PUBLIC), NOW);
  }

  private static String why(JwtVerdict verdict) {
    return assertInstanceOf(JwtVerdict.Invalid.class, verdict).why();
  }

  // --- what others signed -----------------------------------------------------------------------

  private static final String RFC_CLAIMS =
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";

  /** RFC 7515, appendix A.2. */
  @Test
  void theRsaExampleOfTheRfcIsValid() throws IOException {
    VerificationKeys keys =
        keys(
            "{\"keys\":[{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\""
                + "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddx"
                + "HmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMs"
                + "D1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSH"
                + "SXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdV"
                + "MTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8"
                + "NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ\"}]}");
    String token =
        "eyJhbGciOiJSUzI1NiJ9."
            + RFC_CLAIMS
            + ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7"
            + "AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4"
            + "BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K"
            + "0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqv"
            + "hJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrB"
            + "p0igcN_IoypGlUPQGe77Rw";
    assertValidUntil(1_300_819_380, token, keys);
  }

  /** RFC 7515, appendix A.3. */
  @Test
  void theEcExampleOfTheRfcIsValid() throws IOException {
    VerificationKeys keys =
        keys(
            "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\","
                + "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
                + "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}");
    String token =
        "eyJhbGciOiJFUzI1NiJ9."
            + RFC_CLAIMS
            + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    assertValidUntil(1_300_819_380, token, keys);
  }

  private static void assertValidUntil(long expires, String token, VerificationKeys keys) {
    JwtVerdict before = JwtVerifier.verify(token, keys, expecting(PUBLIC), expires - 1);
    assertEquals(expires + 10, assertInstanceOf(JwtVerdict.Valid.class, before).untilSeconds());
    assertEquals(
        "the token has expired",
        why(JwtVerifier.verify(token, keys, expecting(PUBLIC), expires + 10)));
  }

  /** RFC 8037, appendix A.4: its payload is text, so only the signature is right. */
  @Test
  void theSignatureOfTheEd25519ExampleIsRight() throws IOException {
    VerificationKeys keys =
        keys(
            "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
                + "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}");
    String token =
        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
            + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    assertEquals("the token is malformed", why(verify(token, keys)));
    assertEquals("the signature is wrong", why(verify(token.replace("hgyY", "hgyZ"), keys)));
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"RS256", "PS256", "ES256", "ES384", "ES512", "EdDSA"})
  void everyPublicAlgorithmIsVerified(String algorithm) throws IOException {
    JwtSigner signer = JwtSigner.of("k", algorithm);
    JwtSigner other = JwtSigner.of("k", algorithm);
    VerificationKeys keys = keys(signer);
    assertInstanceOf(JwtVerdict.Valid.class, verify(signer.token(CLAIMS), keys));
    assertEquals("the signature is wrong", why(verify(other.token(CLAIMS), keys)));
    JwtExpectations others =
        expecting(EnumSet.complementOf(EnumSet.of(requireNonNull(JwtAlgorithm.of(algorithm)))));
    assertEquals(
        "the algorithm of the token is not allowed",
        why(JwtVerifier.verify(signer.token(CLAIMS), keys, others, NOW)));
  }

  @Test
  void aSecretIsVerifiedWhereItIsLongEnough() throws IOException {
    byte[] secret = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
    Path file = Files.write(directory.resolve("secret"), secret);
    VerificationKeys keys = VerificationKeys.readSecret(file);
    JwtExpectations hmac = expecting(EnumSet.of(JwtAlgorithm.HS256, JwtAlgorithm.HS512));
    String token = JwtSigner.ofSecret("HS256", secret).token(CLAIMS);
    assertInstanceOf(JwtVerdict.Valid.class, JwtVerifier.verify(token, keys, hmac, NOW));
    String longer = JwtSigner.ofSecret("HS512", secret).token(CLAIMS);
    assertInstanceOf(JwtVerdict.UnknownKey.class, JwtVerifier.verify(longer, keys, hmac, NOW));
    assertTrue(keys.hasFor(JwtAlgorithm.HS256));
    assertEquals(false, keys.hasFor(JwtAlgorithm.HS512));
  }

  // --- hostile ----------------------------------------------------------------------------------

  private static String sameClaims(String header) {
    return RSA.token(header, CLAIMS);
  }

  static Stream<Arguments> hostile() {
    String good = RSA.token(CLAIMS);
    String[] part = good.split("\\.", -1);
    byte[] zeros = new byte[64];
    String ecZero = EC.token(CLAIMS);
    String none = JwtSigner.base64("{\"alg\":\"none\"}") + "." + part[1] + ".";
    String confused =
        JwtSigner.ofSecret("HS256", RSA.jwk().getBytes(StandardCharsets.UTF_8))
            .token("{\"alg\":\"HS256\",\"kid\":\"r\"}", CLAIMS);
    String notAllowed = "the algorithm of the token is not allowed";
    String malformed = "the token is malformed";
    String extension = "the token uses an extension that is not accepted";
    List<Arguments> cases = new ArrayList<>();
    cases.add(Arguments.of("none", none, malformed));
    cases.add(Arguments.of("none, signed", sameClaims("{\"alg\":\"none\"}"), notAllowed));
    cases.add(Arguments.of("None", sameClaims("{\"alg\":\"nOnE\"}"), notAllowed));
    cases.add(Arguments.of("no alg", sameClaims("{}"), notAllowed));
    cases.add(Arguments.of("alg no text", sameClaims("{\"alg\":[\"RS256\"]}"), notAllowed));
    cases.add(Arguments.of("public key as secret", confused, notAllowed));
    cases.add(
        Arguments.of(
            "another algorithm for the key",
            sameClaims("{\"alg\":\"PS256\",\"kid\":\"r\"}"),
            "the signature is wrong"));
    cases.add(
        Arguments.of(
            "crit", sameClaims("{\"alg\":\"RS256\",\"crit\":[\"exp\"],\"exp\":1}"), extension));
    cases.add(Arguments.of("b64", sameClaims("{\"alg\":\"RS256\",\"b64\":false}"), extension));
    cases.add(Arguments.of("zip", sameClaims("{\"alg\":\"RS256\",\"zip\":\"DEF\"}"), extension));
    cases.add(
        Arguments.of(
            "nested",
            sameClaims("{\"alg\":\"RS256\",\"cty\":\"JWT\"}"),
            "nested tokens are not accepted"));
    cases.add(
        Arguments.of(
            "encrypted",
            good + "." + part[1] + "." + part[2],
            "encrypted tokens are not accepted"));
    cases.add(
        Arguments.of(
            "header twice", sameClaims("{\"alg\":\"none\",\"alg\":\"RS256\"}"), malformed));
    cases.add(Arguments.of("kid no text", sameClaims("{\"alg\":\"RS256\",\"kid\":1}"), malformed));
    cases.add(
        Arguments.of(
            "kid too long",
            sameClaims("{\"alg\":\"RS256\",\"kid\":\"" + "a".repeat(300) + "\"}"),
            malformed));
    cases.add(Arguments.of("no signature", part[0] + "." + part[1] + ".", malformed));
    cases.add(Arguments.of("two parts", part[0] + "." + part[1], malformed));
    cases.add(Arguments.of("one part", part[0], malformed));
    cases.add(Arguments.of("four parts", good + "." + part[1], malformed));
    cases.add(Arguments.of("empty", "", malformed));
    cases.add(Arguments.of("trailing character", good + "A", "the signature is wrong"));
    cases.add(Arguments.of("padding", good + "==", malformed));
    cases.add(Arguments.of("trailing blank", good + " ", malformed));
    cases.add(Arguments.of("line break", part[0] + ".\n" + part[1] + "." + part[2], malformed));
    cases.add(
        Arguments.of(
            "standard base64",
            part[0] + "." + part[1] + "." + Base64.getEncoder().encodeToString(zeros),
            malformed));
    cases.add(
        Arguments.of(
            "signature of zeros",
            part[0] + "." + part[1] + "." + JwtSigner.base64(new byte[256]),
            "the signature is wrong"));
    cases.add(
        Arguments.of(
            "ECDSA r and s of zero",
            ecZero.substring(0, ecZero.lastIndexOf('.') + 1) + JwtSigner.base64(zeros),
            "the signature is wrong"));
    cases.add(
        Arguments.of(
            "ECDSA signature cut short",
            ecZero.substring(0, ecZero.lastIndexOf('.') + 1) + JwtSigner.base64(new byte[1]),
            "the signature is wrong"));
    cases.add(
        Arguments.of(
            "other claims",
            part[0] + "." + JwtSigner.base64(CLAIMS.replace("alice", "admin")) + "." + part[2],
            "the signature is wrong"));
    cases.add(Arguments.of("too long", good + "A".repeat(9000), "the token is too long"));
    cases.add(
        Arguments.of(
            "deep header",
            sameClaims("{\"alg\":\"RS256\",\"x\":" + "[".repeat(2000) + "]".repeat(2000) + "}"),
            malformed));
    cases.add(
        Arguments.of("claims twice", RSA.token("{\"exp\":1," + CLAIMS.substring(1)), malformed));
    cases.add(Arguments.of("claims no object", RSA.token("[1]"), malformed));
    cases.add(Arguments.of("claims and more", RSA.token(CLAIMS + "{}"), malformed));
    cases.add(Arguments.of("no claims", RSA.token("{}"), "the token has no time of expiry"));
    cases.add(Arguments.of("exp a text", RSA.token("{\"exp\":\"9999999999\"}"), malformed));
    cases.add(Arguments.of("exp beyond numbers", RSA.token("{\"exp\":1e400}"), malformed));
    cases.add(Arguments.of("exp wraps", RSA.token("{\"exp\":18446744073709551616999}"), malformed));
    cases.add(Arguments.of("exp negative", RSA.token("{\"exp\":-1}"), malformed));
    cases.add(
        Arguments.of(
            "expired", RSA.token("{\"exp\":" + (NOW - 10) + "}"), "the token has expired"));
    cases.add(
        Arguments.of(
            "not yet",
            RSA.token("{\"nbf\":" + (NOW + 11) + "," + CLAIMS.substring(1)),
            "the token is not valid yet"));
    cases.add(
        Arguments.of(
            "of the future",
            RSA.token("{\"iat\":" + (NOW + 11) + "," + CLAIMS.substring(1)),
            "the token is not valid yet"));
    cases.add(
        Arguments.of(
            "nbf no number", RSA.token("{\"nbf\":true," + CLAIMS.substring(1)), malformed));
    return cases.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hostile")
  void isNotValid(String name, String token, String why) throws IOException {
    assertEquals(why, why(verify(token, keys(RSA, EC))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../etc/passwd", "r' OR 1=1", "http://127.0.0.1/", "R", " r", ""})
  void anIdOfAKeyIsComparedAndNothingElse(String id) throws IOException {
    String token = sameClaims("{\"alg\":\"RS256\",\"kid\":\"" + id + "\"}");
    assertInstanceOf(JwtVerdict.UnknownKey.class, verify(token, keys(RSA, EC)));
  }

  /** A key inside a token proves nothing: an attacker can put one there. */
  @ParameterizedTest
  @ValueSource(strings = {"jwk", "jku", "x5u", "x5c"})
  void keysThatATokenNamesAreNotUsed(String name) throws IOException {
    JwtSigner own = JwtSigner.of("r", "RS256");
    String value =
        switch (name) {
          case "jwk" -> own.jwk();
          case "x5c" -> "[\"AAAA\"]";
          default -> "\"http://127.0.0.1:1/keys\"";
        };
    String header = "{\"alg\":\"RS256\",\"kid\":\"r\",\"" + name + "\":" + value + "}";
    assertEquals("the signature is wrong", why(verify(own.token(header, CLAIMS), keys(RSA))));
    assertInstanceOf(JwtVerdict.Valid.class, verify(RSA.token(header, CLAIMS), keys(RSA)));
  }

  // --- claims -----------------------------------------------------------------------------------

  @Test
  void clocksMayDifferByTheSkew() throws IOException {
    VerificationKeys keys = keys(RSA);
    for (String claims :
        List.of(
            "{\"exp\":" + (NOW - 9) + "}",
            "{\"exp\":" + (NOW - 9) + ".5}",
            "{\"exp\":" + (NOW + 1) + ",\"nbf\":" + (NOW + 10) + ",\"iat\":" + (NOW + 10) + "}")) {
      assertInstanceOf(JwtVerdict.Valid.class, verify(RSA.token(claims), keys), claims);
    }
  }

  private static JwtVerdict judge(
      String claims, @Nullable String issuer, List<String> audiences, String... required)
      throws IOException {
    return JwtVerifier.verify(
        RSA.token("{\"exp\":" + (NOW + 1) + "," + claims + "}"),
        keys(RSA),
        new JwtExpectations(
            PUBLIC, issuer, audiences, Stream.of(required).map(RequiredClaim::of).toList(), 0),
        NOW);
  }

  @Test
  void issuerAndAudienceHaveToBeThose() throws IOException {
    List<String> own = List.of("a", "b");
    assertInstanceOf(
        JwtVerdict.Valid.class, judge("\"iss\":\"i\",\"aud\":[\"x\",\"b\"]", "i", own));
    assertInstanceOf(JwtVerdict.Valid.class, judge("\"iss\":\"i\",\"aud\":\"a\"", "i", own));
    assertEquals("the token is of another issuer", why(judge("\"iss\":\"I\"", "i", List.of())));
    assertEquals("the token is of another issuer", why(judge("\"x\":1", "i", List.of())));
    assertEquals("the token is of another issuer", why(judge("\"iss\":[\"i\"]", "i", List.of())));
    for (String aud : List.of("\"x\":1", "\"aud\":\"c\"", "\"aud\":[]", "\"aud\":{\"a\":1}")) {
      assertEquals("the token is for another audience", why(judge(aud, null, own)), aud);
    }
  }

  @Test
  void requiredClaimsAreThereOrTheTokenIsNotEnough() throws IOException {
    for (String claims : List.of("\"role\":\"admin\"", "\"role\":[\"user\",\"admin\"]")) {
      assertInstanceOf(
          JwtVerdict.Valid.class, judge(claims, null, List.of(), "role=admin", "role"), claims);
    }
    assertInstanceOf(
        JwtVerdict.Valid.class, judge("\"scope\":\"read write\"", null, List.of(), "scope=write"));
    assertInstanceOf(JwtVerdict.Valid.class, judge("\"n\":7", null, List.of(), "n=7"));
    assertInstanceOf(JwtVerdict.Valid.class, judge("\"b\":true", null, List.of(), "b=true", "b"));
    for (String claims :
        List.of(
            "\"x\":1",
            "\"role\":\"admin2\"",
            "\"role\":\"user admin\"",
            "\"role\":{\"admin\":true}",
            "\"role\":null",
            "\"role\":[[\"admin\"]]")) {
      assertInstanceOf(
          JwtVerdict.LacksClaim.class, judge(claims, null, List.of(), "role=admin"), claims);
    }
    assertInstanceOf(JwtVerdict.LacksClaim.class, judge("\"b\":false", null, List.of(), "b"));
    assertInstanceOf(JwtVerdict.LacksClaim.class, judge("\"b\":null", null, List.of(), "b"));
  }

  @Test
  void claimsBecomeFieldsIfTheyAreVisibleText() throws IOException {
    JwtVerdict.Valid valid =
        assertInstanceOf(
            JwtVerdict.Valid.class,
            judge(
                "\"a\":\"x y\",\"n\":7,\"b\":true,\"l\":[\"x\",2],\"o\":{},\"e\":\"\",\"c\":[\"x,y\"],"
                    + "\"u\":\"\\u00fc\",\"i\":\"x\\r\\nSet: y\",\"m\":\""
                    + "z".repeat(257)
                    + "\"",
                null,
                List.of()));
    assertEquals("x y", JwtClaims.field(valid.claims(), "a"));
    assertEquals("7", JwtClaims.field(valid.claims(), "n"));
    assertEquals("true", JwtClaims.field(valid.claims(), "b"));
    assertEquals("x,2", JwtClaims.field(valid.claims(), "l"));
    for (String name : List.of("o", "e", "c", "u", "i", "m", "absent")) {
      assertEquals(null, JwtClaims.field(valid.claims(), name), name);
    }
  }

  // --- keys -------------------------------------------------------------------------------------

  @Test
  void keysWithoutAnIdAreForEveryToken() throws IOException {
    JwtSigner nameless = JwtSigner.of("", "RS256");
    JwtSigner naming = JwtSigner.of("x", "RS256");
    assertInstanceOf(JwtVerdict.Valid.class, verify(nameless.token(CLAIMS), keys(RSA, nameless)));
    assertEquals("the signature is wrong", why(verify(naming.token(CLAIMS), keys(nameless))));
    assertEquals(
        "the signature is wrong",
        why(verify(RSA.token("{\"alg\":\"RS256\"}", CLAIMS), keys(nameless, naming))));
  }

  static Stream<Arguments> badSets() {
    String rsa = RSA.jwk();
    String small = JwtSigner.of("k", "RS256", 1024).jwk();
    String secp256k1 =
        "{\"kty\":\"EC\",\"crv\":\"secp256k1\","
            + "\"x\":\"N1uZDC9HLNWHCsUqYWsj77Zx4PyJJV3GP_u65xWxYqA\","
            + "\"y\":\"fPbAyaLkOzNPS4x1pfGvGUJgBCGTIqDgrFGyFMdTUZY\"}";
    return Stream.of(
        Arguments.of("[]", "is not a JWK set in JSON"),
        Arguments.of("{\"keys\":", "is not a JWK set in JSON"),
        Arguments.of("{\"keys\":[],\"keys\":[]}", "is not a JWK set in JSON"),
        Arguments.of("{}", "has no array \"keys\""),
        Arguments.of(rsa, "has no array \"keys\""),
        Arguments.of("{\"keys\":[]}", "has no keys"),
        Arguments.of("{\"keys\":[1]}", "key 1: is not an object"),
        Arguments.of(set("{\"kty\":\"oct\",\"k\":\"AAAA\"}"), "key 1: is a secret"),
        Arguments.of(set(rsa.replace("}", ",\"d\":\"AAAA\"}")), "key 1: is a private key"),
        Arguments.of(set(rsa.replace("}", ",\"use\":\"enc\"}")), "key 1: is not for signatures"),
        Arguments.of(
            set(rsa.replace("}", ",\"key_ops\":[\"encrypt\"]}")), "key 1: is not for signatures"),
        Arguments.of(set(small), "key 1: is of a kind or size"),
        Arguments.of(set(secp256k1), "key 1: is"),
        Arguments.of(set("{\"kty\":\"RSA\"}"), "key 1: "),
        Arguments.of(set("{\"kty\":\"RSA\",\"n\":\"!\",\"e\":\"!\"}"), "key 1: "),
        Arguments.of(set("{\"kty\":\"?\"}"), "key 1: "),
        Arguments.of("{\"keys\":[" + (rsa + ",").repeat(64) + rsa + "]}", "has more than 64 keys"));
  }

  private static String set(String key) {
    return "{\"keys\":[" + key + "]}";
  }

  @ParameterizedTest
  @MethodSource("badSets")
  void whatIsNoSetOfKeysIsRefused(String set, String why) {
    String message = assertThrows(IOException.class, () -> keys(set)).getMessage();
    assertTrue(message != null && message.startsWith(why), message);
  }

  @Test
  void keysThatCannotBeUsedAreLeftOut() throws IOException {
    VerificationKeys keys =
        keys("{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}," + RSA.jwk() + ",{\"kty\":\"?\"}]}");
    assertEquals("1 key", keys.toString());
    assertInstanceOf(JwtVerdict.Valid.class, verify(RSA.token(CLAIMS), keys));
  }

  @Test
  void theAlgorithmOfAKeyIsTheOnlyOneForIt() throws IOException {
    VerificationKeys keys = keys(set(RSA.jwk().replace("}", ",\"alg\":\"PS256\"}")));
    assertInstanceOf(JwtVerdict.UnknownKey.class, verify(RSA.token(CLAIMS), keys));
  }
}
