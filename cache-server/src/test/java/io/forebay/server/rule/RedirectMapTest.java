package io.forebay.server.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.http.WireRequest;
import io.forebay.server.rule.RedirectMap.By;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A map finds what a java.util.HashMap of the same entries finds, and leads where it should. */
final class RedirectMapTest {

  private static RequestView request(String authority, String target) {
    String[] parts = target.split("\\?", 2);
    return SyntheticRequest.of(
        "GET",
        new TargetUri("https", authority, parts[0], parts.length > 1 ? parts[1] : null),
        HeaderFields.EMPTY);
  }

  private static @Nullable WireRequest wire(String authority, String target) {
    WireRequest request = new WireRequest("https");
    byte[] head =
        ("GET " + target + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    return request.read(head, 0, head.length, 8192, 100) == head.length ? request : null;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // By | FROM | TO | authority | target | location, or nothing
        "PATH      | /a             | /b                 | x.test      | /a        | /b",
        "PATH      | /a             | /b                 | x.test      | /a?q=1    | /b?q=1",
        "PATH      | /a             | /b?c=1             | x.test      | /a?q=1    | /b?c=1",
        "PATH      | /a             | /b#c               | x.test      | /a?q=1    | /b?q=1#c",
        "PATH      | /a             | /b                 | x.test      | /a/       |",
        "PATH      | /a             | /b                 | x.test      | /A        |",
        "PATH      | /a             | https://y.test/b   | x.test      | /a?q      | https://y.test/b?q",
        "PATH      | /a/*           | /b/:splat          | x.test      | /a/c/d    | /b/c/d",
        "PATH      | /a/*           | /b/:splat          | x.test      | /a/c?q=1  | /b/c?q=1",
        "PATH      | /a/*           | /b/:splat          | x.test      | /a/       | /b/",
        "PATH      | /a/*           | /b/:splat          | x.test      | /a        |",
        "PATH      | /a/*           | /b                 | x.test      | /a/c      | /b",
        "PATH      | /a/*           | /:splat            | x.test      | /a//y.test/ | /y.test/",
        "PATH      | /a/*           | /b?from=:splat     | x.test      | /a/c?q    | /b?from=c",
        "PATH      | /*             | https://y.test/:splat | x.test   | /a/b?c    | https://y.test/a/b?c",
        "PATH      | /a             | /b                 | x.test      | /a?x=\"y\" | /b?x=%22y%22",
        "URI       | /a?q=1         | /b                 | x.test      | /a?q=1    | /b",
        "URI       | /a?q=1         | /b                 | x.test      | /a?q=2    |",
        "URI       | /a?q=1         | /b                 | x.test      | /a        |",
        "URI       | /a             | /b                 | x.test      | /a?       |",
        "URI       | /a             | /b                 | x.test      | /a        | /b",
        "URI       | /a/*           | /b/:splat          | x.test      | /a/c?q=1  | /b/c?q=1",
        "URI       | /a/*           | /b                 | x.test      | /a/c?q=1  | /b",
        "HOST_PATH | x.test/a       | /b                 | x.test      | /a        | /b",
        "HOST_PATH | x.test/a       | /b                 | x.test:8443 | /a?q      | /b?q",
        "HOST_PATH | x.test/a       | /b                 | y.test      | /a        |",
        "HOST_PATH | x.test/*       | https://y.test/:splat | x.test:81 | /a/b     | https://y.test/a/b",
      })
  void eachEntryLeadsWhereItShould(
      By by, String from, String to, String authority, String target, @Nullable String location) {
    boolean isPrefix = from.endsWith("*");
    RedirectMap.Builder builder = new RedirectMap.Builder(by);
    builder.add(isPrefix ? from.substring(0, from.length() - 1) : from, isPrefix, to, 301);
    RedirectMap map = builder.build();
    RequestView request = request(authority, target);
    int entry = map.find(request);
    assertEquals(location == null, entry == RedirectMap.NONE);
    if (location != null) {
      assertEquals(location, map.location(entry, request));
      assertEquals(301, map.status(entry));
    }
    WireRequest wire = wire(authority, target);
    if (wire != null) {
      assertEquals(entry, map.find(wire), "in the fast lane");
    }
  }

  @Test
  void wholeTextsAndLongerPrefixesArePreferred() {
    RedirectMap.Builder builder = new RedirectMap.Builder(By.PATH);
    builder.add("/", true, "/1", 301);
    builder.add("/a/", true, "/2", 302);
    builder.add("/a/b/", true, "/3", 303);
    builder.add("/a/b/c", false, "/4", 307);
    builder.add("/a/b/", false, "/5", 308);
    RedirectMap map = builder.build();
    assertEquals(5, map.size());
    List<String> found = new ArrayList<>();
    for (String path : List.of("/x", "/a", "/a/x", "/a/b/x/y", "/a/b/c", "/a/b/", "/a/b/c/")) {
      found.add(map.to(map.find(request("x.test", path))));
    }
    assertEquals(List.of("/1", "/1", "/2", "/3", "/4", "/5", "/3"), found);
  }

  @Test
  void theSameTextIsNotAddedTwice() {
    RedirectMap.Builder builder = new RedirectMap.Builder(By.PATH);
    assertEquals(RedirectMap.NONE, builder.add("/a/", false, "/1", 301));
    assertEquals(RedirectMap.NONE, builder.add("/a/", true, "/2", 301), "a prefix is another");
    assertEquals(0, builder.add("/a/", false, "/3", 301));
    assertEquals(1, builder.add("/a/", true, "/4", 301));
    assertEquals(2, builder.build().size());
  }

  private record Key(String text, boolean isPrefix) {}

  /** The same by a table of the JDK and the definition. */
  private static @Nullable String expected(
      Map<Key, String> oracle, By by, String host, String path, @Nullable String query) {
    String start = by == By.HOST_PATH ? host : "";
    String whole = start + path + (by == By.URI && query != null ? "?" + query : "");
    String found = oracle.get(new Key(whole, false));
    for (int end = path.length(); found == null && end > 0; end--) {
      if (path.charAt(end - 1) == '/') {
        found = oracle.get(new Key(start + path.substring(0, end), true));
      }
    }
    return found;
  }

  @ParameterizedTest
  @EnumSource(By.class)
  void randomMapsFindWhatATableOfTheJdkFinds(By by) {
    long seed = System.nanoTime();
    System.out.println("RedirectMapTest seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    int hits = 0;
    int ofPrefixes = 0;
    for (int round = 0; round < 40; round++) {
      Map<Key, String> oracle = new HashMap<>();
      RedirectMap.Builder builder = new RedirectMap.Builder(by);
      int entries = 1 << random.nextInt(11);
      for (int i = 0; i < entries; i++) {
        boolean isPrefix = random.nextInt(4) == 0;
        String path = isPrefix ? path(random) + "/" : path(random);
        String text =
            (by == By.HOST_PATH ? host(random) : "")
                + path
                + (by == By.URI && !isPrefix && random.nextBoolean() ? "?" + query(random) : "");
        String to = "/to/" + i;
        String known = oracle.putIfAbsent(new Key(text, isPrefix), to);
        int added = builder.add(text, isPrefix, to, 301);
        assertEquals(known == null, added == RedirectMap.NONE, text);
      }
      RedirectMap map = builder.build();
      assertEquals(oracle.size(), map.size());
      for (int i = 0; i < 500; i++) {
        String host = host(random);
        String path = path(random) + (random.nextInt(3) == 0 ? "/" : "");
        String query = random.nextBoolean() ? query(random) : null;
        String target = query == null ? path : path + "?" + query;
        int entry = map.find(request(host, target));
        String found = entry == RedirectMap.NONE ? null : map.to(entry);
        assertEquals(
            expected(oracle, by, host, path, query), found, () -> target + " seed " + seed);
        WireRequest wire = wire(host, target);
        if (wire != null) {
          assertEquals(entry, map.find(wire), () -> target + " in the fast lane, seed " + seed);
        }
        hits += found == null ? 0 : 1;
        ofPrefixes += entry != RedirectMap.NONE && map.isPrefix(entry) ? 1 : 0;
      }
    }
    assertTrue(hits > 500 && ofPrefixes > 100, "hits " + hits + ", of prefixes " + ofPrefixes);
  }

  private static String host(SplittableRandom random) {
    return random.nextBoolean() ? "x.test" : "y.test";
  }

  private static String path(SplittableRandom random) {
    StringBuilder path = new StringBuilder();
    for (int segments = 1 + random.nextInt(4); segments > 0; segments--) {
      path.append('/').append((char) ('a' + random.nextInt(4)));
      if (random.nextInt(3) == 0) {
        path.append(random.nextInt(10));
      }
    }
    return path.toString();
  }

  private static String query(SplittableRandom random) {
    return "q=" + random.nextInt(4) + (random.nextBoolean() ? "/" : "");
  }

  /** What an operator has to plan with. */
  @Test
  void anEntryTakesFewBytesBesidesItsTexts() {
    RedirectMap.Builder builder = new RedirectMap.Builder(By.PATH);
    long texts = 0;
    for (int i = 0; i < 100_000; i++) {
      String from = "/articles/" + i;
      String to = "/news/" + i + ".html";
      texts += from.length() + to.length();
      builder.add(from, false, to, 301);
    }
    RedirectMap map = builder.build();
    assertEquals(100_000, map.size());
    long rest = map.bytes() - texts;
    assertTrue(rest <= 26L * map.size(), rest + " bytes besides the texts");
    assertEquals("/news/77.html", map.to(map.find(request("x.test", "/articles/77"))));
  }
}
