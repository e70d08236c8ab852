package io.forebay.core.fuzz;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.CdnLoop;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.MaxForwards;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetNormalizer;
import io.forebay.core.http.Trailers;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.core.key.CacheGroups;
import io.forebay.core.key.CanonicalRequest;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NamePatterns;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.key.PurgeUrl;
import io.forebay.core.key.QueryRecipe;
import io.forebay.core.key.ResponseTags;
import io.forebay.core.key.Scopes;
import io.forebay.core.key.UrlRecipe;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Freshening;
import io.forebay.core.policy.InvalidationPolicy;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.ServePlan;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The entry point of the fuzzer: the first byte selects a parser, the rest is its input. A parser
 * may reject input in its documented way; any other exception, and any result out of bounds, is a
 * finding.
 */
public final class FuzzTarget {

  private static final long NOW = 1_767_225_600_000L;
  private static final long TOTAL = 1_000_003;
  private static final long MAX_SECONDS = 1L << 31;

  /** Fields of responses that something here reads. */
  private static final List<String> OF_RESPONSES =
      List.of(
          "cache-control",
          "forebay-cache-control",
          "cdn-cache-control",
          "surrogate-control",
          "expires",
          "age",
          "date",
          "last-modified",
          "etag",
          "vary",
          "pragma",
          "set-cookie",
          "content-encoding",
          "content-range",
          "surrogate-key",
          "cache-tag",
          "xkey",
          "cache-groups",
          "cache-group-invalidation",
          "no-vary-search",
          "connection",
          "location",
          "content-length");

  /** Fields of requests that something here reads. */
  private static final List<String> OF_REQUESTS =
      List.of(
          "range",
          "if-range",
          "if-match",
          "if-none-match",
          "if-modified-since",
          "if-unmodified-since",
          "cache-control",
          "pragma",
          "accept-encoding",
          "accept-language",
          "cookie",
          "user-agent",
          "cdn-loop",
          "max-forwards",
          "upgrade",
          "te",
          "connection");

  private static final Route ROUTE =
      Route.toOrigin("origin")
          .withSettings(RouteSettings.builder().clientDirectives(ClientDirectives.HONOUR).build())
          .withKeyRecipe(
              new KeyRecipe(
                  new UrlRecipe(
                      null,
                      true,
                      true,
                      true,
                      new QueryRecipe(
                          false, true, new NamePatterns(List.of("utm_*")), NamePatterns.NONE)),
                  new FieldRecipe(
                      List.of("x-country"), List.of("kind"), true, List.of("en", "de"), List.of()),
                  8,
                  true,
                  false));

  private static final KeyBuilder KEYS = new KeyBuilder(new byte[16]);
  private static final Scopes SCOPES = new Scopes(new byte[16]);

  private FuzzTarget() {}

  /** The parsers; each throws where something is wrong with its answer. */
  enum Parser {
    RESPONSE {
      @Override
      void check(String text) {
        response(chosen(OF_RESPONSES, text), rest(text));
      }
    },
    REQUEST {
      @Override
      void check(String text) {
        request(chosen(OF_REQUESTS, text), rest(text));
      }
    },
    TARGET {
      @Override
      void check(String text) {
        target(text);
      }
    },
    AUTHORITY {
      @Override
      void check(String text) {
        String normal = AuthorityNormalizer.normalize(text, "http");
        require(
            normal == null || normal.equals(AuthorityNormalizer.normalize(normal, "http")), text);
      }
    },
    DATE {
      @Override
      void check(String text) {
        long millis = HttpDate.parse(text, NOW);
        require(
            millis == HttpDate.INVALID
                || millis < 0
                || HttpDate.parse(HttpDate.format(millis), NOW) == millis,
            text);
      }
    },
    PURGE_URL {
      @Override
      void check(String text) {
        PurgeUrl url = PurgeUrl.parse(text);
        if (url != null) {
          require(!url.targets().isEmpty(), text);
          long[] ignored = SCOPES.prefix(text);
        }
      }
    },
    STORED_META {
      @Override
      void check(String text) {
        storedMeta(latin(text));
      }
    },
    STORED_HEADER {
      @Override
      void check(String text) {
        try {
          HeaderFields ignored = StoredHeader.decode(latin(text));
        } catch (IllegalArgumentException e) {
          // It says so itself.
          return;
        }
      }
    };

    abstract void check(String text);
  }

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length > 0) {
      Parser parser = Parser.values()[(data[0] & 0xff) % Parser.values().length];
      parser.check(new String(data, 1, data.length - 1, StandardCharsets.ISO_8859_1));
    }
  }

  private static String chosen(List<String> names, String text) {
    return names.get(text.isEmpty() ? 0 : text.charAt(0) % names.size());
  }

  /** What a listener lets through as a value: no control bytes, no blanks around it. */
  private static String rest(String text) {
    return text.isEmpty() ? "" : text.substring(1).replaceAll("[\\x00-\\x1f\\x7f]", " ").strip();
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static void require(boolean holds, String text) {
    if (!holds) {
      throw new IllegalStateException("does not hold for: " + text);
    }
  }

  private static void response(String name, String value) {
    RequestView get =
        SyntheticRequest.of("GET", "http://a.example/b?c=d", "accept-encoding", "gzip");
    HeaderFields fields =
        HeaderFields.of("cache-control", "max-age=60", "etag", "\"1\"", name, value);
    StoreVerdict verdict = ResponsePolicy.judge(get, ROUTE, 200, fields, NOW, NOW + 5, 7);
    ResponseTags tags = ResponseTags.of(fields);
    long[] scopes = SCOPES.ofResponse(get, ROUTE.keyRecipe(), tags);
    require(scopes.length <= Scopes.MAX_SCOPES, value);
    require(CacheGroups.of(fields.all("cache-groups")).size() <= CacheGroups.MAX_GROUPS, value);
    HopByHop unusedHop = HopByHop.ofResponse(fields.all("connection"));
    List<?> unusedTargets =
        InvalidationPolicy.invalidated(
            SyntheticRequest.of("POST", "http://a.example/"), 200, fields);
    NoVarySearch rule = NoVarySearch.of(fields);
    require(KEYS.build(get, ROUTE.keyRecipe(), rule), value);
    if (verdict instanceof StoreVerdict.Store store) {
      require(
          store.freshnessLifetimeMillis() >= 0
              && store.freshnessLifetimeMillis() <= MAX_SECONDS * 1000,
          value);
      StoredMeta meta = StoredMeta.of(store.meta());
      require(KEYS.variant(get, meta.selectingFields()), value);
      HeaderFields fresh = Freshening.update(fields, fields, NOW);
      boolean ignored = Revalidation.matches(meta, fresh);
      byte[] block = StoredHeader.encode(200, fields, store.omittedFields(), NOW);
      if (block != null) {
        HeaderFields decoded = StoredHeader.decode(block);
        store.omittedFields().forEach(omitted -> require(!decoded.has(omitted), omitted));
      }
    }
  }

  private static void request(String name, String value) {
    RequestView request = SyntheticRequest.of("GET", "http://a.example/b?c=d&utm_x=1", name, value);
    StoredMeta meta = stored();
    var ignored = Decider.decide(request, ROUTE, meta, false, NOW + 1000);
    inBounds(ServePlan.of(request, meta, TOTAL, 16), value);
    RequestView canonical = CanonicalRequest.of(request, "GET", ROUTE.keyRecipe());
    require(KEYS.build(request, ROUTE.keyRecipe()) || value.length() > 1000, value);
    String key = KEYS.toString();
    require(
        !KEYS.build(canonical, ROUTE.keyRecipe()) || key.equals(KEYS.toString()),
        "key of what is asked: " + value);
    CdnLoop unusedLoop = CdnLoop.of(request.fields().all("cdn-loop"), "edge");
    int forwards = MaxForwards.of(request.fields());
    UpgradeOffer unusedOffer = UpgradeOffer.of(request, Set.of("websocket"));
    boolean taken = Trailers.areAccepted(request.fields().all("te"));
    HopByHop unusedHop = HopByHop.ofRequest(request.fields().all("connection"));
    require(forwards >= -1 || taken || !taken, value);
  }

  private static void inBounds(ServePlan plan, String value) {
    switch (plan) {
      case ServePlan.Range range ->
          require(
              range.first() >= 0 && range.first() <= range.last() && range.last() < TOTAL, value);
      default -> Objects.requireNonNull(plan);
    }
  }

  private static StoredMeta stored() {
    StoreVerdict verdict =
        ResponsePolicy.judge(
            SyntheticRequest.of("GET", "http://a.example/b"),
            ROUTE,
            200,
            HeaderFields.of(
                "cache-control",
                "max-age=1, stale-while-revalidate=5",
                "etag",
                "\"1\"",
                "last-modified",
                "Thu, 01 Jan 2015 00:00:00 GMT"),
            NOW,
            NOW,
            7);
    return StoredMeta.of(((StoreVerdict.Store) verdict).meta());
  }

  private static void target(String text) {
    if (TargetNormalizer.normalize(text, "GET") instanceof TargetNormalizer.Accepted once) {
      String query = once.query();
      String normal = once.path() + (query == null ? "" : "?" + query);
      require(
          TargetNormalizer.normalize(normal, "GET") instanceof TargetNormalizer.Accepted twice
              && twice.path().equals(once.path())
              && Objects.equals(twice.query(), query),
          text);
    }
  }

  private static void storedMeta(byte[] bytes) {
    byte[] record = Arrays.copyOf(bytes, Math.max(bytes.length, StoredMeta.FIXED_LENGTH));
    if (record.length > 0) {
      record[0] = StoredMeta.VERSION;
    }
    StoredMeta meta = new StoredMeta();
    if (meta.wrap(MemorySegment.ofArray(record), 0)) {
      require(meta.length() <= record.length, "length " + meta.length());
      List<String> ignored = meta.selectingFields();
      String unusedTag = meta.etag();
      String unusedDate = meta.lastModified();
      RequestView get = SyntheticRequest.of("GET", "http://a.example/b", "range", "bytes=0-5");
      var unusedDecision = Decider.decide(get, ROUTE, meta, false, NOW);
      inBounds(ServePlan.of(get, meta, TOTAL, 16), "bytes=0-5");
    }
  }
}
