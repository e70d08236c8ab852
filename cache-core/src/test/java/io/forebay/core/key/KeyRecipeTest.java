package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.AcceptClasses;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys by the recipes of routes, and the requests that fills send for them. */
final class KeyRecipeTest {

  private final KeyBuilder keys = new KeyBuilder(new byte[16]);

  private static final FieldRecipe ALL =
      new FieldRecipe(
          List.of("x-a", "x-b"),
          List.of("kind", "tier"),
          true,
          List.of("en", "de"),
          List.of("x-drop"));

  private String key(RequestView request, KeyRecipe recipe) {
    assertTrue(keys.build(request, recipe));
    return keys.toString();
  }

  private static KeyRecipe of(UrlRecipe url) {
    return new KeyRecipe(url, FieldRecipe.NONE);
  }

  private static KeyRecipe of(FieldRecipe fields) {
    return new KeyRecipe(UrlRecipe.WHOLE, fields);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          -      | true  | true  | false | https://a.b:8443/X?q | https://a.b:8443/X?q
          shared | true  | true  | false | http://a.b/X         | http://shared:80/X
          shared | true  | true  | false | http://c.d:81/X      | http://shared:81/X
          shared | false | true  | false | http://c.d:81/X      | http://shared/X
          -      | false | true  | false | https://a.b:8443/X   | https://a.b/X
          -      | false | true  | false | http://[::1]:81/X    | http://[::1]/X
          -      | true  | false | false | https://a.b/X        | ://a.b/X
          -      | true  | false | false | http://a.b/X         | ://a.b/X
          -      | true  | false | false | http://a.b:81/X      | ://a.b:81/X
          -      | true  | true  | true  | http://a.b/Xy/%C3%A4 | http://a.b:80/xy/%C3%A4
          """)
  void partsOfTheUrlCanBeLeftOutOrFixed(
      String host, boolean hasPort, boolean hasScheme, boolean isFolded, String url, String text) {
    KeyRecipe recipe =
        of(new UrlRecipe(host, hasPort, hasScheme, isFolded, QueryRecipe.AS_RECEIVED));
    SyntheticRequest request = SyntheticRequest.of("GET", url);
    assertEquals(text, key(request, recipe));
    assertEquals(text.length(), keys.urlLength());
    assertEquals(text, key(CanonicalRequest.of(request, "GET", recipe), recipe));
  }

  @Test
  void fieldsStandBehindTheUrlInTheRecipesOrder() {
    SyntheticRequest request =
        SyntheticRequest.of(
            "GET",
            "http://h/p?q",
            "Cookie",
            "tier=1; other=2;kind=a",
            "cookie",
            "kind=\"b\"; kindly=3; kind",
            "X-B",
            " one   two ",
            "x-b",
            "three",
            "Accept-Language",
            "fr, de-AT;q=0.5",
            "User-Agent",
            "iPhone");
    assertEquals(
        "http://h:80/p?q#h:x-a;h:x-b=\"one two, three\";c:kind=\"a\";c:kind=\"\\\"b\\\"\""
            + ";c:tier=\"1\";d=mobile;l=de",
        key(request, of(ALL)));
    assertEquals("http://h:80/p?q".length(), keys.urlLength());
    assertEquals(keys.textLength(), keys.baseLength());
    assertTrue(keys.variant(request, List.of("x-c")));
    assertTrue(keys.toString().endsWith(";l=de x-c"), keys.toString());
  }

  @Test
  void aVariantByAcceptHasTheClassWhereTheRouteNamesFormats() {
    KeyRecipe recipe =
        of(
            new FieldRecipe(
                List.of(),
                List.of(),
                false,
                List.of(),
                List.of(),
                UnkeyedFields.DEFAULT,
                new AcceptClasses(List.of("avif", "webp"))));
    SyntheticRequest request =
        SyntheticRequest.of("GET", "http://h/p", "Accept", "image/webp;q=0.1", "accept", "x/y");
    assertEquals("http://h:80/p", key(request, recipe));
    assertTrue(keys.variant(request, List.of("accept")));
    assertEquals("http://h:80/p accept=\"image/webp,*/*;q=0.8\"", keys.toString());
    RequestView question = CanonicalRequest.of(request, "GET", recipe);
    assertEquals(List.of("image/webp,*/*;q=0.8"), question.fields().all("accept"));
    assertEquals("http://h:80/p", key(question, recipe));
    assertTrue(keys.variant(question, List.of("accept")));
    assertEquals("http://h:80/p accept=\"image/webp,*/*;q=0.8\"", keys.toString());
    // A route without formats has the text.
    assertEquals("http://h:80/p", key(request, KeyRecipe.DEFAULT));
    assertTrue(keys.variant(request, List.of("accept")));
    assertEquals("http://h:80/p accept=\"image/webp;q=0.1,x/y\"", keys.toString());
  }

  @Test
  void aKeyOfAUriIsWhatAllItsKeysBeginWith() {
    TargetUri uri = Objects.requireNonNull(TargetUri.parse("http://h/p?b=2&a=1"));
    assertTrue(keys.build(uri, of(ALL)));
    assertEquals("http://h:80/p?b=2&a=1", keys.toString());
  }

  @Test
  void aFillAsksWithWhatTheKeyHasAndNothingElseOfWhatTheRouteNames() {
    SyntheticRequest request =
        SyntheticRequest.of(
            "GET",
            "http://a.b/P?utm_x=evil&z=1&y=2",
            "Cookie",
            "session=secret; kind=a",
            "X-A",
            "1   2",
            "X-Drop",
            "evil",
            "X-Other",
            "kept",
            "Accept-Language",
            "de-CH, evil",
            "User-Agent",
            "evil iPhone",
            "Forebay-Device",
            "evil",
            "X-Forwarded-Host",
            "evil");
    UrlRecipe url =
        new UrlRecipe(
            "shared",
            false,
            false,
            true,
            new QueryRecipe(false, true, new NamePatterns(List.of("utm_*")), NamePatterns.NONE));
    RequestView asked = CanonicalRequest.of(request, "GET", new KeyRecipe(url, ALL));
    assertEquals("https", asked.scheme());
    assertEquals("shared", asked.authority());
    assertEquals("/p", asked.path());
    assertEquals("y=2&z=1", asked.query());
    assertEquals("kind=a", asked.fields().combined("cookie"));
    assertEquals("1 2", asked.fields().combined("x-a"));
    assertEquals("kept", asked.fields().combined("x-other"));
    assertEquals("de", asked.fields().combined("accept-language"));
    assertEquals("mobile", asked.fields().combined("forebay-device"));
    assertEquals("?1", asked.fields().combined("sec-ch-ua-mobile"));
    assertFalse(asked.fields().toString().contains("evil"), asked.fields().toString());
  }

  @Test
  void withoutARecipeOnlyTheLanguagesWordingChanges() {
    SyntheticRequest request =
        SyntheticRequest.of("GET", "http://h/P?b&a", "X", "1", "Accept-Language", "EN;q=0.5,de");
    RequestView asked = CanonicalRequest.of(request, "GET", KeyRecipe.DEFAULT);
    assertEquals("b&a", asked.query());
    assertEquals(
        HeaderFields.of("x", "1", "accept-language", "de, en;q=0.5").toString(),
        asked.fields().toString());
  }

  @Test
  void refusesRecipesThatContradictThemselves() {
    List<String> none = List.of();
    List<String> cookie = List.of("cookie");
    assertThrows(
        IllegalArgumentException.class,
        () -> new FieldRecipe(cookie, List.of("a"), false, none, none));
    assertThrows(
        IllegalArgumentException.class, () -> new FieldRecipe(cookie, none, false, none, cookie));
    assertThrows(
        IllegalArgumentException.class,
        () -> new FieldRecipe(List.of("X"), none, false, none, none));
    assertThrows(
        IllegalArgumentException.class,
        () -> new FieldRecipe(none, List.of("a;b"), false, none, none));
    assertThrows(
        IllegalArgumentException.class,
        () -> new UrlRecipe("Bad Host", true, true, false, QueryRecipe.AS_RECEIVED));
    assertThrows(
        IllegalArgumentException.class,
        () -> new KeyRecipe(UrlRecipe.WHOLE, FieldRecipe.NONE, 0, false, false));
  }

  @Test
  void selectingFieldsCanBeReadFromAKey() {
    SyntheticRequest request =
        SyntheticRequest.of("GET", "http://h/p", "x-a", "1 y=\"2\\", "z", "", "cookie", "kind=a b");
    String base = key(request, of(ALL));
    assertTrue(keys.variant(request, List.of("absent", "x-a", "z")));
    assertEquals(
        List.of("absent", "x-a", "z"), KeyText.selectingFields(keys.toString(), base.length()));
    assertTrue(keys.unvaried());
    assertEquals(List.of("*"), KeyText.selectingFields(keys.toString(), base.length()));
    assertEquals(List.of(), KeyText.selectingFields(base, base.length()));
  }

  @Test
  void theKeyOfACodedCopyBeginsWithThatOfItsSource() {
    byte[] coding = "br9.1".getBytes(StandardCharsets.US_ASCII);
    SyntheticRequest request =
        SyntheticRequest.of("GET", "http://h/p", "x-a", "1 :br9.1", "cookie", "kind=a :b");
    for (boolean isVariant : new boolean[] {false, true}) {
      String source = key(request, of(ALL));
      if (isVariant) {
        assertTrue(keys.variant(request, List.of("absent", "x-a")));
        source = keys.toString();
      }
      long hi = keys.hi();
      assertNull(KeyText.coding(source));
      assertTrue(keys.coded(coding));
      assertEquals(source + " :br9.1", keys.toString());
      assertEquals(source.length(), keys.uncodedLength());
      assertEquals("br9.1", KeyText.coding(keys.toString()));
      assertEquals("/p", KeyText.pathAndQuery(keys.toString()));
      assertTrue(hi != keys.hi());
      keys.uncoded();
      assertEquals(source, keys.toString());
      assertEquals(hi, keys.hi());
    }
    String longest = "/" + "x".repeat(KeyBuilder.MAX_LENGTH - "http://h:80/".length());
    assertTrue(keys.build(SyntheticRequest.of("GET", "http://h" + longest), KeyRecipe.DEFAULT));
    String source = keys.toString();
    assertFalse(keys.coded(coding));
    keys.uncoded();
    assertEquals(source, keys.toString());
  }

  /**
   * Whatever recipes and values: one text means that the origin is asked the very same, and what it
   * is asked has the same text again.
   */
  @Test
  void oneTextMeansOneQuestionToTheOrigin() {
    long seed = 20_260_714;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    Map<String, String> asked = new HashMap<>();
    int shared = 0;
    for (int i = 0; i < 60_000; i++) {
      KeyRecipe recipe = recipe(random);
      SyntheticRequest request = request(random);
      String text = key(request, recipe);
      RequestView question = CanonicalRequest.of(request, "GET", recipe);
      assertEquals(text, key(question, recipe), "seed " + seed);
      String identity = identity(question, recipe);
      String other = asked.putIfAbsent(text, identity);
      if (other != null) {
        shared++;
        assertEquals(other, identity, "seed " + seed + ": " + text);
      }
    }
    assertTrue(shared > 1_000, "hardly any text came twice: " + shared);
  }

  /** What the recipe names of the question, in a form of its own that can't be ambiguous. */
  private static String identity(RequestView question, KeyRecipe recipe) {
    List<String> parts = new ArrayList<>();
    parts.add(recipe.url().hasScheme() ? question.scheme() : "any");
    parts.add(question.authority());
    parts.add(question.path());
    parts.add(String.valueOf(question.query()));
    FieldRecipe fields = recipe.fields();
    for (String name : fields.headers()) {
      parts.add(name + "=" + question.fields().combined(name));
    }
    if (!fields.cookies().isEmpty()) {
      parts.add("cookie=" + question.fields().combined("cookie"));
    }
    if (fields.hasDevice()) {
      parts.add("device=" + question.fields().combined("forebay-device"));
    }
    if (!fields.languages().isEmpty()) {
      parts.add("language=" + question.fields().combined("accept-language"));
    }
    StringBuilder identity = new StringBuilder();
    parts.forEach(part -> identity.append(part.length()).append(':').append(part));
    return identity.toString();
  }

  private static <T> T any(RandomGenerator random, List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private static KeyRecipe recipe(RandomGenerator random) {
    UrlRecipe url =
        new UrlRecipe(
            random.nextInt(4) == 0 ? any(random, List.of("h", "g")) : null,
            random.nextInt(4) > 0,
            random.nextInt(4) > 0,
            random.nextInt(4) == 0,
            new QueryRecipe(
                random.nextInt(8) == 0,
                random.nextBoolean(),
                new NamePatterns(any(random, List.of(List.of(), List.of("a*"), List.of("b")))),
                new NamePatterns(any(random, List.of(List.of(), List.of("a", "b"))))));
    FieldRecipe fields =
        new FieldRecipe(
            any(random, List.of(List.of(), List.of("x"), List.of("x", "y"), List.of("y", "x"))),
            any(random, List.of(List.of(), List.of("c"), List.of("c", "d"))),
            random.nextInt(4) == 0,
            any(random, List.of(List.of(), List.of(), List.of("en", "de"))),
            any(random, List.of(List.of(), List.of("z"))),
            UnkeyedFields.DEFAULT,
            any(random, List.of(AcceptClasses.NONE, new AcceptClasses(List.of("avif", "webp")))));
    return new KeyRecipe(url, fields);
  }

  private static SyntheticRequest request(RandomGenerator random) {
    List<String> pieces = List.of("", "a", "\"", "\\", ";", "=", "#", "h:x", "\";h:y=\"", " ", "c");
    List<String> fields = new ArrayList<>();
    for (String name : List.of("x", "y", "z")) {
      for (int lines = random.nextInt(3); lines > 0; lines--) {
        fields.add(name);
        fields.add((any(random, pieces) + any(random, pieces)).strip());
      }
    }
    for (String cookie : List.of("c", "d", "e", "c")) {
      if (random.nextInt(3) == 0) {
        fields.add("cookie");
        fields.add((cookie + "=" + any(random, pieces) + any(random, pieces)).strip());
      }
    }
    if (random.nextBoolean()) {
      fields.add("user-agent");
      fields.add(any(random, List.of("iphone", "bot", "x")));
    }
    if (random.nextBoolean()) {
      fields.add("accept-language");
      fields.add(any(random, List.of("de", "en;q=0.5, de-AT", "fr")));
    }
    String url =
        any(random, List.of("http", "https"))
            + "://"
            + any(random, List.of("h", "g", "h:81", "h:443", "g:80"))
            + any(random, List.of("/", "/x", "/X"))
            + any(random, List.of("", "?", "?a=1&b=2", "?b=2&a=1", "?a", "?b=2&&", "?h:x=%22"));
    return SyntheticRequest.of("GET", url, fields.toArray(new String[0]));
  }
}
