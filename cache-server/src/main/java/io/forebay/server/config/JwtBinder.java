package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.JwtConfig.ClaimField;
import io.forebay.server.config.JwtConfig.TokenPlace;
import io.forebay.server.jwt.JwtAlgorithm;
import io.forebay.server.jwt.JwtExpectations;
import io.forebay.server.jwt.JwtExpectations.RequiredClaim;
import io.forebay.server.jwt.VerificationKeys;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code protection.NAME.jwt} and the files with keys. */
final class JwtBinder extends Binder {
  private static final int MAX_CLAIM_FIELDS = 8;
  private static final long DEFAULT_SKEW_SECONDS = 60;

  JwtBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  @Nullable JwtConfig bind(String scope) {
    List<String> names = value(scope, JwtKeys.ALGORITHMS);
    String path = scope + "." + JwtKeys.ALGORITHMS.name();
    if (names != null && names.isEmpty()) {
      Raw raw = values.get(path);
      if (raw != null && raw.text().replace(",", "").isBlank()) {
        problems.add(
            raw.place()
                .problem(path, "is empty", "list what the issuer signs with, or remove jwt"));
      }
      return null;
    }
    if (names == null) {
      SourceLocation place =
          givenPlace(
              JwtKeys.ALL.stream().map(field -> scope + "." + field.name()).toArray(String[]::new));
      if (place != null && !values.wasRefused(path)) {
        problems.add(place.problem(path, "is missing", "list what the issuer signs with"));
      }
      return null;
    }
    Set<JwtAlgorithm> algorithms = EnumSet.noneOf(JwtAlgorithm.class);
    for (String name : names) {
      JwtAlgorithm algorithm = JwtAlgorithm.of(name);
      if (algorithm != null) {
        algorithms.add(algorithm);
      }
    }
    Path keysFile = value(scope, JwtKeys.KEYS_FILE);
    URI keysUrl = value(scope, JwtKeys.KEYS_URL);
    Path secretFile = value(scope, JwtKeys.SECRET_FILE);
    boolean isConsistent = checkKinds(path, algorithms, keysFile, keysUrl, secretFile);
    Duration skew = value(scope, JwtKeys.SKEW);
    String realm = value(scope, JwtKeys.REALM);
    Boolean isForwarded = value(scope, JwtKeys.FORWARD);
    return new JwtConfig(
        new JwtExpectations(
            algorithms,
            value(scope, JwtKeys.ISSUER),
            listed(scope, JwtKeys.AUDIENCES),
            listed(scope, JwtKeys.CLAIMS).stream().map(RequiredClaim::of).toList(),
            skew == null ? DEFAULT_SKEW_SECONDS : skew.toSeconds()),
        keysFile,
        keysUrl,
        secretFile,
        isConsistent ? keys(scope, algorithms, keysFile, secretFile) : VerificationKeys.NONE,
        places(scope),
        claimFields(scope),
        realm == null ? "Restricted" : realm,
        isForwarded != null && isForwarded,
        List.of());
  }

  private List<String> listed(String scope, Field<?, List<String>> field) {
    List<String> items = value(scope, field);
    return items == null ? List.of() : items;
  }

  /** A key is of one kind, so that none is ever taken for one of the other. */
  private boolean checkKinds(
      String path,
      Set<JwtAlgorithm> algorithms,
      @Nullable Path keysFile,
      @Nullable URI keysUrl,
      @Nullable Path secretFile) {
    SourceLocation place = firstPlace(path);
    int given =
        (keysFile == null ? 0 : 1) + (keysUrl == null ? 0 : 1) + (secretFile == null ? 0 : 1);
    if (given != 1) {
      problems.add(
          place.problem(
              path,
              given == 0
                  ? "there is no key"
                  : "there is more than one of keys-file, keys-url and secret-file",
              "give one of jwt.keys-file, jwt.keys-url and jwt.secret-file"));
      return false;
    }
    for (JwtAlgorithm algorithm : algorithms) {
      if (algorithm.isSymmetric() != (secretFile != null)) {
        problems.add(
            place.problem(
                path,
                algorithm.label()
                    + (algorithm.isSymmetric()
                        ? " needs a secret, and the keys are public ones"
                        : " needs public keys, and secret-file is a secret"),
                "use a profile for each kind"));
        return false;
      }
    }
    return true;
  }

  private VerificationKeys keys(
      String scope,
      Set<JwtAlgorithm> algorithms,
      @Nullable Path keysFile,
      @Nullable Path secretFile) {
    Path file = keysFile == null ? secretFile : keysFile;
    if (file == null) {
      return VerificationKeys.NONE;
    }
    boolean isSecret = keysFile == null;
    String path = scope + "." + (isSecret ? JwtKeys.SECRET_FILE : JwtKeys.KEYS_FILE).name();
    try {
      VerificationKeys keys =
          isSecret ? VerificationKeys.readSecret(file) : VerificationKeys.read(file);
      values.files().note(path, file, VerificationKeys.MAX_BYTES);
      for (JwtAlgorithm algorithm : algorithms) {
        if (isSecret && !keys.hasFor(algorithm)) {
          throw new IOException(
              "is too short for "
                  + algorithm.label()
                  + ", which needs "
                  + algorithm.minSecretBytes()
                  + " bytes");
        }
      }
      if (algorithms.stream().noneMatch(keys::hasFor)) {
        throw new IOException("has no key for the algorithms that are allowed");
      }
      return keys;
    } catch (IOException e) {
      problems.add(
          firstPlace(path)
              .problem(
                  path,
                  FileProblem.text(file, e),
                  isSecret
                      ? "write a long random secret into its first line"
                      : "write the issuer's JWK set, {\"keys\": [...]}"));
      return VerificationKeys.NONE;
    }
  }

  private List<TokenPlace> places(String scope) {
    List<TokenPlace> places = listed(scope, JwtKeys.FROM).stream().map(TokenPlace::of).toList();
    return places.isEmpty() ? List.of(TokenPlace.of("bearer")) : places;
  }

  private List<ClaimField> claimFields(String scope) {
    List<ClaimField> fields =
        listed(scope, JwtKeys.CLAIM_FIELDS).stream().map(ClaimField::of).toList();
    String path = scope + "." + JwtKeys.CLAIM_FIELDS.name();
    Set<String> names = new HashSet<>();
    for (ClaimField field : fields) {
      if (!names.add(field.field())) {
        problems.add(
            firstPlace(path)
                .problem(path, "the field " + field.field() + " is named twice", "rename one"));
      }
    }
    if (fields.size() > MAX_CLAIM_FIELDS) {
      problems.add(firstPlace(path).problem(path, "more than " + MAX_CLAIM_FIELDS, "remove some"));
    }
    return fields;
  }
}
