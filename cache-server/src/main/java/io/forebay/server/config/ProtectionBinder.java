package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ProtectionProfile.AccessConfig;
import io.forebay.server.config.ProtectionProfile.BasicAuthConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import io.forebay.server.config.ProtectionProfile.UrlKey;
import io.forebay.server.network.NetworkFile;
import io.forebay.server.network.NetworkSet;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the profiles of {@code protection} and the files that they name. */
final class ProtectionBinder extends Binder {
  private static final int MAX_LIMITS = 16;
  private static final int MIN_SECRET = 16;
  private static final long MAX_FILE_BYTES = 64L << 20;
  private static final Duration MAX_REFILL = Duration.ofDays(366);

  private final List<ProtectionProfile> profiles = new ArrayList<>();

  private final Set<String> origins;

  /**
   * Reads these values.
   *
   * @param origins names of all origins
   */
  ProtectionBinder(
      ConfigValues values,
      List<ConfigProblem> problems,
      Map<String, String> sources,
      Set<String> origins) {
    super(values, problems, sources);
    this.origins = origins;
  }

  List<ProtectionProfile> bind() {
    for (Map.Entry<String, SourceLocation> instance :
        values.instances(ProtectionKeys.PROFILES).entrySet()) {
      String name = instance.getKey();
      String scope = "protection." + name;
      List<RateLimitConfig> limits =
          limits(scope, ProtectionKeys.RATE_LIMITS, ProtectionKeys.LIMIT_KEY);
      profiles.add(
          new ProtectionProfile(
              name,
              access(scope),
              limits,
              limits(scope, ProtectionKeys.FETCH_LIMITS, ProtectionKeys.FETCH_KEY),
              signedUrls(scope, instance.getValue()),
              basicAuth(scope),
              jwt(scope, limits),
              new ForwardAuthBinder(values, problems, sources, origins).bind(scope)));
      for (Field<ProtectionProfile, ?> field : ProtectionKeys.PROFILES.fields()) {
        source(ProtectionKeys.PROFILES, name, field, scope + "." + field.name());
      }
    }
    return List.copyOf(profiles);
  }

  /** The profile that the route of that scope names, or null. */
  @Nullable String ofRoute(String scope, Field<?, String> field) {
    String name = value(scope, field);
    Raw raw = values.get(scope + "." + field.name());
    List<String> known = profiles.stream().map(ProtectionProfile::name).sorted().toList();
    if (name != null && raw != null && !known.contains(name)) {
      problems.add(
          raw.place()
              .problem(
                  scope + "." + field.name(),
                  "there is no profile named " + name + " in protection",
                  Printable.suggestion(name, known)));
    }
    return name;
  }

  private AccessConfig access(String scope) {
    List<String> allow = value(scope, ProtectionKeys.ALLOW);
    List<String> deny = given(scope, ProtectionKeys.DENY);
    Path allowFile = value(scope, ProtectionKeys.ALLOW_FILE);
    Path denyFile = value(scope, ProtectionKeys.DENY_FILE);
    boolean isLimited = allow != null || allowFile != null;
    return new AccessConfig(
        allow,
        deny,
        allowFile,
        denyFile,
        isLimited
            ? networks(scope, ProtectionKeys.ALLOW, allow, ProtectionKeys.ALLOW_FILE, allowFile)
            : null,
        networks(scope, ProtectionKeys.DENY, deny, ProtectionKeys.DENY_FILE, denyFile));
  }

  private @Nullable SignedUrlConfig signedUrls(String scope, SourceLocation place) {
    String name = value(scope, ProtectionKeys.URL_TYPE);
    SignedUrlConfig.Type type =
        name == null
            ? null
            : SignedUrlConfig.Type.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    String parameter = value(scope, ProtectionKeys.URL_PARAMETER);
    Boolean hasAddress = value(scope, ProtectionKeys.URL_ADDRESS);
    String path = scope + "." + ProtectionKeys.URL_TYPE.name();
    List<UrlKey> keys = urlKeys(scope, type);
    if (type == null) {
      boolean isOther = parameter != null || hasAddress != null || !keys.isEmpty();
      if (isOther && !values.wasRefused(path)) {
        SourceLocation given =
            givenPlace(
                scope + "." + ProtectionKeys.URL_PARAMETER.name(),
                scope + "." + ProtectionKeys.URL_ADDRESS.name(),
                scope + ".url-keys.0.id");
        problems.add(
            (given == null ? place : given)
                .problem(path, "is missing", "set it, or remove the keys of signed URLs"));
      }
      return null;
    }
    if (keys.isEmpty()) {
      problems.add(firstPlace(path).problem(path, "there are no url-keys", "add one"));
    }
    if (type != SignedUrlConfig.Type.HMAC && parameter != null) {
      unused(scope, ProtectionKeys.URL_PARAMETER, "for this type");
    }
    if (type != SignedUrlConfig.Type.NGINX_SECURE_LINK && hasAddress != null) {
      unused(scope, ProtectionKeys.URL_ADDRESS, "for this type");
    }
    List<String> parameters =
        switch (type) {
          case HMAC -> List.of(parameter == null ? "token" : parameter);
          case NGINX_SECURE_LINK -> List.of("md5", "expires");
          case CLOUDFRONT -> SignedUrlConfig.CLOUDFRONT_PARAMETERS;
        };
    return new SignedUrlConfig(type, parameters, hasAddress != null && hasAddress, keys);
  }

  private void unused(String scope, Field<?, ?> field, String where) {
    String path = scope + "." + field.name();
    problems.add(firstPlace(path).problem(path, "has no meaning " + where, "remove it"));
  }

  /** The keys of a profile; null stands for no type, which is a problem of its own. */
  private List<UrlKey> urlKeys(String scope, SignedUrlConfig.@Nullable Type type) {
    List<UrlKey> keys = new ArrayList<>();
    for (Map.Entry<String, SourceLocation> entry :
        values.instances(ProtectionKeys.URL_KEYS.at(scope)).entrySet()) {
      String own = scope + ".url-keys." + entry.getKey();
      SourceLocation place = entry.getValue();
      UrlKey key = urlKey(own, type, place);
      if (keys.stream().anyMatch(other -> other.id().equals(key.id()))) {
        problems.add(
            place.problem(own + ".id", "another key has the id " + key.id(), "rename one"));
      }
      if (keys.size() == MAX_LIMITS) {
        problems.add(place.problem(own, "more than " + MAX_LIMITS + " keys", "remove some"));
        break;
      }
      String listed = scope + ".url-keys." + keys.size();
      for (Field<UrlKey, ?> field : ProtectionKeys.URL_KEYS.fields()) {
        Raw raw = values.get(own + "." + field.name());
        if (raw != null) {
          sources.put(listed + "." + field.name(), raw.place().text());
        }
      }
      keys.add(key);
    }
    return keys;
  }

  private UrlKey urlKey(String own, SignedUrlConfig.@Nullable Type type, SourceLocation place) {
    String id = needed(own, ProtectionKeys.KEY_ID, place);
    boolean isGiven =
        values.get(own + ".secret") != null || values.get(own + ".secret-file") != null;
    Path file = value(own, ProtectionKeys.KEY_PUBLIC_FILE);
    if (type == SignedUrlConfig.Type.CLOUDFRONT) {
      if (isGiven) {
        problems.add(place.problem(own + ".secret", "has no meaning for this type", "remove it"));
      }
      return new UrlKey(id, new Secret(""), publicKey(own, file, place));
    }
    if (file != null && type != null) {
      unused(own, ProtectionKeys.KEY_PUBLIC_FILE, "for this type");
    }
    if (type == null && !isGiven) {
      return new UrlKey(id, new Secret(""));
    }
    Secret secret =
        neededSecret(own, ProtectionKeys.KEY_SECRET, ProtectionKeys.KEY_SECRET_FILE, place);
    if (type == SignedUrlConfig.Type.HMAC && isGiven && secret.value().length() < MIN_SECRET) {
      problems.add(
          place.problem(
              own + ".secret",
              "the secret has fewer than " + MIN_SECRET + " characters",
              "use a long random one, such as 64 hexadecimal digits"));
    }
    return new UrlKey(id, secret);
  }

  private @Nullable PublicKeyFile publicKey(String own, @Nullable Path file, SourceLocation place) {
    if (file == null) {
      Path ignored = needed(own, ProtectionKeys.KEY_PUBLIC_FILE, place);
      return null;
    }
    try {
      PublicKeyFile read = PublicKeyFile.read(file);
      values.files().note(own + "." + ProtectionKeys.KEY_PUBLIC_FILE.name(), file, MAX_FILE_BYTES);
      return read;
    } catch (IOException e) {
      String path = own + "." + ProtectionKeys.KEY_PUBLIC_FILE.name();
      problems.add(
          firstPlace(path)
              .problem(
                  path, FileProblem.text(file, e), "write it with openssl pkey -pubout -in KEY"));
      return null;
    }
  }

  private @Nullable BasicAuthConfig basicAuth(String scope) {
    Path file = value(scope, ProtectionKeys.AUTH_FILE);
    String realm = value(scope, ProtectionKeys.AUTH_REALM);
    Boolean isForwarded = value(scope, ProtectionKeys.AUTH_FORWARD);
    String path = scope + "." + ProtectionKeys.AUTH_FILE.name();
    if (file == null) {
      SourceLocation place =
          givenPlace(
              scope + "." + ProtectionKeys.AUTH_REALM.name(),
              scope + "." + ProtectionKeys.AUTH_FORWARD.name());
      if (place != null && !values.wasRefused(path)) {
        problems.add(place.problem(path, "is missing", "name a file that htpasswd -B wrote"));
      }
      return null;
    }
    PasswordFile users = PasswordFile.EMPTY;
    try {
      users = PasswordFile.read(file);
      values.files().note(path, file, MAX_FILE_BYTES);
    } catch (IOException e) {
      problems.add(
          firstPlace(path)
              .problem(path, FileProblem.text(file, e), "write the file with htpasswd -B"));
    }
    return new BasicAuthConfig(
        file, realm == null ? "Restricted" : realm, isForwarded != null && isForwarded, users);
  }

  /** The tokens of a profile, with the claims that its limits count by. */
  private @Nullable JwtConfig jwt(String scope, List<RateLimitConfig> limits) {
    List<String> claims = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      RateLimitConfig limit = limits.get(i);
      if (limit.kind() != RateLimitConfig.Kind.CLAIM) {
        continue;
      }
      String algorithms = scope + "." + JwtKeys.ALGORITHMS.name();
      if (values.get(algorithms) == null && !values.wasRefused(algorithms)) {
        String path = scope + ".rate-limits." + i + "." + ProtectionKeys.LIMIT_KEY.name();
        problems.add(
            firstPlace(path)
                .problem(
                    path,
                    "the profile has no jwt, so there are no claims",
                    "add jwt, or count by something else"));
      }
      if (!claims.contains(limit.field())) {
        claims.add(limit.field());
      }
    }
    JwtConfig jwt = jwt(scope);
    return jwt == null ? null : jwt.withKeyClaims(claims);
  }

  private @Nullable JwtConfig jwt(String scope) {
    JwtConfig jwt = new JwtBinder(values, problems, sources).bind(scope);
    boolean hasPasswords = values.get(scope + "." + ProtectionKeys.AUTH_FILE.name()) != null;
    if (jwt != null && hasPasswords && jwt.reads(JwtConfig.TokenPlace.Kind.BEARER)) {
      String path = scope + "." + JwtKeys.FROM.name();
      problems.add(
          firstPlace(path, scope + "." + JwtKeys.ALGORITHMS.name())
              .problem(
                  path,
                  "basic-auth reads the Authorization field as well",
                  "take tokens from a cookie or parameter, or remove one of both"));
    }
    return jwt;
  }

  private List<RateLimitConfig> limits(
      String scope, Section<RateLimitConfig> section, Field<RateLimitConfig, String> keyField) {
    List<RateLimitConfig> limits = new ArrayList<>();
    String prefix = scope + "." + section.lastPart() + ".";
    for (Map.Entry<String, SourceLocation> entry : values.instances(section.at(scope)).entrySet()) {
      String own = prefix + entry.getKey();
      SourceLocation place = entry.getValue();
      RateLimitConfig limit = limit(own, keyField, place);
      if (limits.stream().anyMatch(other -> other.name().equals(limit.name()))
          && values.get(own + ".name") != null) {
        problems.add(
            place.problem(own + ".name", "another limit is named " + limit.name(), "rename one"));
      }
      if (limits.size() == MAX_LIMITS) {
        problems.add(place.problem(own, "more than " + MAX_LIMITS + " limits", "remove some"));
        break;
      }
      for (Field<RateLimitConfig, ?> field : section.fields()) {
        Raw raw = values.get(own + "." + field.name());
        if (raw != null) {
          sources.put(prefix + limits.size() + "." + field.name(), raw.place().text());
        }
      }
      limits.add(limit);
    }
    return limits;
  }

  private RateLimitConfig limit(
      String own, Field<RateLimitConfig, String> keyField, SourceLocation place) {
    String key = given(own, keyField);
    int blank = key.indexOf(' ');
    String word = blank < 0 ? key : key.substring(0, blank);
    RateLimitConfig.Kind kind =
        RateLimitConfig.Kind.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    String field = blank < 0 ? "" : key.substring(blank + 1);
    Integer requests = value(own, ProtectionKeys.LIMIT_REQUESTS);
    Long bytes = value(own, ProtectionKeys.LIMIT_BYTES);
    Integer inFlight = value(own, ProtectionKeys.LIMIT_IN_FLIGHT);
    RateLimitConfig.Unit unit =
        bytes != null
            ? RateLimitConfig.Unit.BYTES
            : inFlight != null ? RateLimitConfig.Unit.IN_FLIGHT : RateLimitConfig.Unit.REQUESTS;
    checkUnit(own, keyField, place, requests, bytes, inFlight);
    Duration per = given(own, ProtectionKeys.LIMIT_PER);
    Integer burst = value(own, ProtectionKeys.LIMIT_BURST);
    Long burstBytes = value(own, ProtectionKeys.LIMIT_BURST_BYTES);
    Duration penalty = value(own, ProtectionKeys.LIMIT_PENALTY);
    long quota =
        switch (unit) {
          case REQUESTS -> requests == null ? 1 : Math.max(1, requests);
          case BYTES -> bytes == null ? 1 : bytes;
          case IN_FLIGHT -> inFlight == null ? 1 : inFlight;
        };
    long atOnce =
        switch (unit) {
          case REQUESTS -> burst == null ? quota : burst;
          case BYTES -> burstBytes == null ? quota : burstBytes;
          case IN_FLIGHT -> quota;
        };
    if ((double) per.toSeconds() / quota * atOnce > MAX_REFILL.toSeconds()) {
      problems.add(
          place.problem(own + ".burst", "it takes more than a year to earn it again", "reduce it"));
    }
    return new RateLimitConfig(
        needed(own, ProtectionKeys.LIMIT_NAME, place),
        kind,
        kind == RateLimitConfig.Kind.HEADER ? field.toLowerCase(Locale.ROOT) : field,
        unit,
        quota,
        per,
        atOnce,
        unit == RateLimitConfig.Unit.REQUESTS ? penalty : null);
  }

  /** Exactly one unit is given, and nothing that another unit would need. */
  private void checkUnit(
      String own,
      Field<RateLimitConfig, String> keyField,
      SourceLocation place,
      @Nullable Integer requests,
      @Nullable Long bytes,
      @Nullable Integer inFlight) {
    boolean isOfFetches = keyField.equals(ProtectionKeys.FETCH_KEY);
    String path = own + "." + ProtectionKeys.LIMIT_REQUESTS.name();
    int units = (requests == null ? 0 : 1) + (bytes == null ? 0 : 1) + (inFlight == null ? 0 : 1);
    if (units > 1) {
      problems.add(
          place.problem(path, "a limit counts one thing", "make a limit of its own for each"));
      return;
    }
    boolean isRefused =
        values.wasRefused(path)
            || values.wasRefused(own + ".bytes")
            || values.wasRefused(own + ".in-flight");
    if (units == 0) {
      if (!isRefused) {
        String others = isOfFetches ? "in-flight" : "bytes or in-flight";
        problems.add(place.problem(path, "is missing", "set it, or " + others));
      }
      return;
    }
    String where =
        "for a limit on "
            + (requests != null ? "requests" : bytes != null ? "bytes" : "requests in flight");
    List<Field<RateLimitConfig, ?>> others =
        requests != null
            ? List.of(ProtectionKeys.LIMIT_BURST_BYTES)
            : bytes != null
                ? List.of(ProtectionKeys.LIMIT_BURST, ProtectionKeys.LIMIT_PENALTY)
                : List.of(
                    ProtectionKeys.LIMIT_PER,
                    ProtectionKeys.LIMIT_BURST,
                    ProtectionKeys.LIMIT_BURST_BYTES,
                    ProtectionKeys.LIMIT_PENALTY);
    for (Field<RateLimitConfig, ?> other : others) {
      if (values.get(own + "." + other.name()) != null) {
        unused(own, other, where);
      }
    }
  }

  private NetworkSet networks(
      String scope,
      Field<?, List<String>> field,
      @Nullable List<String> listed,
      Field<?, Path> fileField,
      @Nullable Path file) {
    List<NetworkSet> sets = new ArrayList<>();
    if (listed != null) {
      try {
        sets.add(NetworkSet.of(listed));
      } catch (IllegalArgumentException e) {
        String path = scope + "." + field.name();
        problems.add(firstPlace(path).problem(path, String.valueOf(e.getMessage()), ""));
      }
    }
    if (file != null) {
      try {
        sets.add(NetworkFile.read(file));
        values.files().note(scope + "." + fileField.name(), file, MAX_FILE_BYTES);
      } catch (IOException e) {
        String path = scope + "." + fileField.name();
        problems.add(
            firstPlace(path)
                .problem(
                    path,
                    FileProblem.text(file, e),
                    "write one address or CIDR block on each line"));
      }
    }
    return NetworkSet.union(sets);
  }
}
