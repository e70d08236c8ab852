package io.forebay.server.rule;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.server.geo.GeoLocation;
import io.forebay.server.geo.GeoLocator;
import io.forebay.server.network.NetworkSet;
import io.forebay.server.rule.RequestPart.Kind;
import io.forebay.server.rule.expression.Expression;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Makes the conditions that ask about one part of a request. */
public final class RequestConditions {
  private RequestConditions() {}

  /** The host, in lower case and without a port. */
  public static Condition host(TextMatcher test) {
    return new Part(Kind.HOST, test);
  }

  /** The path in normal form, without the query. */
  public static Condition path(TextMatcher test) {
    return new Part(Kind.PATH, test);
  }

  public static Condition method(TextMatcher test) {
    return new Part(Kind.METHOD, test);
  }

  public static Condition scheme(TextMatcher test) {
    return new Part(Kind.SCHEME, test);
  }

  public static Condition listener(TextMatcher test) {
    return new Part(Kind.LISTENER, test);
  }

  public static Condition protocol(TextMatcher test) {
    return new Part(Kind.PROTOCOL, test);
  }

  public static Condition tlsVersion(TextMatcher test) {
    return new Tls(test, RuleClient::tlsVersion);
  }

  public static Condition tlsServerName(TextMatcher test) {
    return new Tls(test, RuleClient::tlsServerName);
  }

  /** The JA4 fingerprint of the client's handshake. */
  public static Condition ja4(TextMatcher test) {
    return new Tls(test, RuleClient::ja4);
  }

  /** One value of a part of the client's certificate passes. */
  public static Condition clientCertificate(CertificatePart part, TextMatcher test) {
    return new CertificateCondition(part, test);
  }

  /** The client has a certificate that was verified, or has none. */
  public static Condition clientVerified(boolean isVerified) {
    return new CertificateCondition.Verified(isVerified);
  }

  /** One line of the field passes. */
  public static Condition header(String lowerCaseName, TextMatcher test) {
    return new Header(lowerCaseName, test);
  }

  /** One cookie of that name passes. */
  public static Condition cookie(String name, TextMatcher test) {
    return new Header("cookie", new CookieTest(name, test), new RequestPart(Kind.COOKIE, name));
  }

  /** One parameter of that name passes, decoded. */
  public static Condition query(String name, TextMatcher test) {
    return new Query(name, test);
  }

  public static Condition client(NetworkSet networks) {
    return new Client(networks);
  }

  /** The expression holds. */
  public static Condition expression(Expression expression) {
    return new ExpressionCondition(expression);
  }

  /** The client is in one of these countries. */
  public static Condition country(GeoLocator locator, Set<String> codes) {
    return new Place(
        locator,
        "country",
        location -> {
          String country = location.country();
          return country != null && codes.contains(country);
        });
  }

  /** The client is in one of these autonomous systems. */
  public static Condition asn(GeoLocator locator, Set<Long> numbers) {
    return new Place(
        locator,
        "asn",
        location -> {
          Long asn = location.asn();
          return asn != null && numbers.contains(asn);
        });
  }

  private record Part(Kind kind, TextMatcher test) implements Condition {

    @Override
    public int test(RequestFacts facts) {
      CharSequence text =
          switch (kind) {
            case HOST -> facts.view().authority();
            case PATH -> facts.path();
            case METHOD -> facts.view().method();
            case SCHEME -> facts.view().scheme();
            case LISTENER -> facts.client().listener();
            case PROTOCOL -> facts.client().protocol();
            default -> throw new IllegalStateException(kind.name());
          };
      int end =
          kind == Kind.HOST
              ? AuthorityNormalizer.hostLength(facts.view().authority())
              : text.length();
      return test.test(text, 0, end, facts.isFast());
    }

    @Override
    public int cost() {
      return test.cost();
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      // GET and HEAD share what is stored; other methods are passed, or in the key.
      if (kind != Kind.METHOD || ofMethod("GET") != ofMethod("HEAD")) {
        each.accept(new RequestPart(kind, ""));
      }
    }

    private int ofMethod(String method) {
      return test.test(method, 0, method.length(), false);
    }

    @Override
    public void pathExpressions(Consumer<TextMatcher.Regex> each) {
      if (kind == Kind.PATH) {
        expressions(test, each);
      }
    }
  }

  private static void expressions(TextMatcher test, Consumer<TextMatcher.Regex> each) {
    switch (test) {
      case TextMatcher.Regex regex -> each.accept(regex);
      case TextMatcher.Any any -> any.tests().forEach(one -> expressions(one, each));
      case TextMatcher.All all -> all.tests().forEach(one -> expressions(one, each));
      default -> {}
    }
  }

  private record Tls(TextMatcher test, Function<RuleClient, @Nullable String> part)
      implements Condition {

    @Override
    public int test(RequestFacts facts) {
      String text = part.apply(facts.client());
      return text == null ? NO : test.test(text, 0, text.length(), facts.isFast());
    }

    @Override
    public int cost() {
      return test.cost();
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      each.accept(new RequestPart(Kind.TLS, ""));
    }
  }

  private record Header(String name, TextMatcher test, RequestPart part) implements Condition {

    Header(String name, TextMatcher test) {
      this(name, test, new RequestPart(Kind.HEADER, name));
    }

    @Override
    public int test(RequestFacts facts) {
      return facts.anyLine(name, test);
    }

    @Override
    public int cost() {
      return 8 + test.cost();
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      each.accept(part);
    }
  }

  /** Finds the pairs of one name in a line of Cookie. */
  private record CookieTest(String name, TextMatcher test) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      int verdict = Condition.NO;
      int at = from;
      while (at < to && verdict != Condition.YES) {
        int end = indexOf(text, ';', at, to);
        while (at < end && text.charAt(at) == ' ') {
          at++;
        }
        int equals = indexOf(text, '=', at, end);
        if (isNamed(text, at, equals, name)) {
          int start = Math.min(end, equals + 1);
          int one = test.test(text, start, end, isFast);
          verdict = one == Condition.YES ? one : Math.max(verdict, one);
        }
        at = end + 1;
      }
      return verdict;
    }

    @Override
    public int cost() {
      return 8 + test.cost();
    }
  }

  private record Query(String name, TextMatcher test) implements Condition {

    @Override
    public int test(RequestFacts facts) {
      CharSequence query = facts.query();
      if (query == null) {
        return NO;
      }
      if (indexOf(query, '%', 0, query.length()) < query.length()
          || indexOf(query, '+', 0, query.length()) < query.length()) {
        // Names and values have to be decoded.
        return facts.isFast() ? LATER : testEach(query, true, false);
      }
      return testEach(query, false, facts.isFast());
    }

    private int testEach(CharSequence query, boolean isEncoded, boolean isFast) {
      int verdict = NO;
      int at = 0;
      while (at <= query.length()) {
        int end = indexOf(query, '&', at, query.length());
        int equals = indexOf(query, '=', at, end);
        int one = NO;
        if (isEncoded) {
          String key = decoded(query.subSequence(at, equals).toString());
          if (key.equals(name)) {
            String value =
                equals == end ? "" : decoded(query.subSequence(equals + 1, end).toString());
            one = test.test(value, 0, value.length(), isFast);
          }
        } else if (isNamed(query, at, equals, name)) {
          one = test.test(query, Math.min(end, equals + 1), end, isFast);
        }
        if (one == YES) {
          return one;
        }
        verdict = Math.max(verdict, one);
        at = end + 1;
      }
      return verdict;
    }

    @Override
    public int cost() {
      return 8 + test.cost();
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      each.accept(new RequestPart(Kind.QUERY, name));
    }
  }

  private record Client(NetworkSet networks) implements Condition {

    @Override
    public int test(RequestFacts facts) {
      return facts.isIn(networks);
    }

    @Override
    public int cost() {
      return 6;
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      each.accept(new RequestPart(Kind.CLIENT, ""));
    }
  }

  /**
   * Where the client is.
   *
   * @param part that is asked for
   */
  private record Place(GeoLocator locator, String part, Predicate<GeoLocation> isThere)
      implements Condition {

    @Override
    public int test(RequestFacts facts) {
      return facts.isAt(locator, isThere);
    }

    @Override
    public int cost() {
      return 10;
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      each.accept(new RequestPart(Kind.CLIENT, part));
    }
  }

  /** What is not well encoded stands for itself. */
  static String decoded(String text) {
    String value = decodedOrNull(text);
    return value == null ? text : value;
  }

  private static @Nullable String decodedOrNull(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Where the character is, or the end. */
  private static int indexOf(CharSequence text, char c, int from, int to) {
    int at = from;
    while (at < to && text.charAt(at) != c) {
      at++;
    }
    return at;
  }

  private static boolean isNamed(CharSequence text, int from, int to, String name) {
    if (to - from != name.length()) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (text.charAt(from + i) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
