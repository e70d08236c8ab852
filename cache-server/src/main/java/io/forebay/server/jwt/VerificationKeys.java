package io.forebay.server.jwt;

import io.forebay.server.json.AdminError;
import io.forebay.server.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keys that verify tokens: those of a JWK set (RFC 7517), or one secret. Immutable; shows nothing
 * of them.
 */
public final class VerificationKeys {

  /** None, so no token is valid. */
  public static final VerificationKeys NONE = new VerificationKeys(List.of());

  /** What a JWK set may have. */
  public static final int MAX_BYTES = 256 << 10;

  private static final int MAX_KEYS = 64;
  private static final int MAX_ID = 256;
  private static final int MAX_SECRET_BYTES = 4096;

  /** Keys that are tried for one token. */
  private static final int MAX_CANDIDATES = 4;

  private final List<KnownKey> keys;

  private VerificationKeys(List<KnownKey> keys) {
    this.keys = List.copyOf(keys);
  }

  /**
   * @param algorithm the only one that it is for, or null
   */
  private record KnownKey(@Nullable String id, @Nullable String algorithm, Key key) {

    boolean isFor(JwtAlgorithm wanted) {
      return wanted.fits(key) && (algorithm == null || algorithm.equals(wanted.label()));
    }
  }

  /**
   * Reads a JWK set. Keys that cannot verify tokens are left out: encryption keys, secrets, private
   * keys, curves and sizes that no algorithm takes.
   *
   * @throws IOException with a message about the first such key where no other is there, or about a
   *     set that is none
   */
  public static VerificationKeys parse(byte[] set) throws IOException {
    if (set.length > MAX_BYTES) {
      throw new IOException("is larger than 256KiB");
    }
    ObjectNode object;
    try {
      object = Json.object(set);
    } catch (AdminError e) {
      throw new IOException("is not a JWK set in JSON", e);
    }
    JsonNode listed = object.get("keys");
    if (listed == null || !listed.isArray()) {
      throw new IOException("has no array \"keys\"");
    }
    if (listed.size() > MAX_KEYS) {
      throw new IOException("has more than " + MAX_KEYS + " keys");
    }
    List<KnownKey> keys = new ArrayList<>();
    String problem = "has no keys";
    for (int i = 0; i < listed.size(); i++) {
      try {
        keys.add(key(listed.get(i)));
      } catch (IllegalArgumentException e) {
        problem = keys.isEmpty() ? "key " + (i + 1) + ": " + e.getMessage() : problem;
      }
    }
    if (keys.isEmpty()) {
      throw new IOException(problem);
    }
    return new VerificationKeys(keys);
  }

  /** Reads a JWK set from a file. */
  public static VerificationKeys read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("is larger than 256KiB");
    }
    return parse(Files.readAllBytes(file));
  }

  /** The secret in the first line of a file, for HMAC. */
  public static VerificationKeys readSecret(Path file) throws IOException {
    if (Files.size(file) > MAX_SECRET_BYTES) {
      throw new IOException("is larger than 4KiB");
    }
    byte[] secret =
        Files.readString(file)
            .lines()
            .findFirst()
            .orElse("")
            .strip()
            .getBytes(StandardCharsets.UTF_8);
    return secret.length == 0
        ? NONE
        : new VerificationKeys(
            List.of(new KnownKey(null, null, new SecretKeySpec(secret, "HMAC"))));
  }

  private static KnownKey key(JsonNode node) {
    if (!(node instanceof ObjectNode object)) {
      throw new IllegalArgumentException("is not an object");
    }
    if (!isFor(object, "use", "sig") || !isFor(object, "key_ops", "verify")) {
      throw new IllegalArgumentException("is not for signatures");
    }
    Map<String, Object> parameters = new HashMap<>();
    for (String name : List.of("kty", "crv", "n", "e", "x", "y")) {
      String value = text(object, name);
      if (value != null) {
        parameters.put(name, value);
      }
    }
    if ("oct".equals(parameters.get("kty"))) {
      throw new IllegalArgumentException("is a secret, which a JWK set must not have");
    }
    if (object.has("d")) {
      throw new IllegalArgumentException("is a private key");
    }
    JsonWebKey read;
    try {
      read = JsonWebKey.Factory.newJwk(parameters);
    } catch (JoseException | RuntimeException e) {
      throw new IllegalArgumentException("is not a key", e);
    }
    Key key = read instanceof PublicJsonWebKey open ? open.getPublicKey() : read.getKey();
    if (key == null || Arrays.stream(JwtAlgorithm.values()).noneMatch(a -> a.fits(key))) {
      throw new IllegalArgumentException(
          "is of a kind or size that no algorithm takes (RSA from 2048 bits, P-256, P-384, P-521,"
              + " Ed25519)");
    }
    String id = text(object, "kid");
    if (id != null && id.length() > MAX_ID) {
      throw new IllegalArgumentException("has a kid of more than " + MAX_ID + " characters");
    }
    return new KnownKey(id, text(object, "alg"), key);
  }

  /** Whether a parameter is absent or names that. */
  private static boolean isFor(ObjectNode key, String name, String purpose) {
    JsonNode value = key.get(name);
    if (value == null) {
      return true;
    }
    if (value.isArray()) {
      for (JsonNode item : value) {
        if (item.isString() && item.stringValue().equals(purpose)) {
          return true;
        }
      }
      return false;
    }
    return value.isString() && value.stringValue().equals(purpose);
  }

  private static @Nullable String text(ObjectNode key, String name) {
    JsonNode value = key.get(name);
    return value != null && value.isString() ? value.stringValue() : null;
  }

  /**
   * The keys that may have signed a token, at most four: those of its id, then those without one.
   *
   * @param id that the token names, or null, which leaves the choice to the algorithm
   */
  List<Key> candidates(@Nullable String id, JwtAlgorithm algorithm) {
    Stream<KnownKey> named = keys.stream().filter(known -> id != null && id.equals(known.id()));
    Stream<KnownKey> others = keys.stream().filter(known -> id == null || known.id() == null);
    return Stream.concat(named, others)
        .filter(known -> known.isFor(algorithm))
        .limit(MAX_CANDIDATES)
        .map(KnownKey::key)
        .toList();
  }

  /** Whether there is a key for that algorithm. */
  public boolean hasFor(JwtAlgorithm algorithm) {
    return keys.stream().anyMatch(known -> known.isFor(algorithm));
  }

  public boolean isEmpty() {
    return keys.isEmpty();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof VerificationKeys that && keys.equals(that.keys);
  }

  @Override
  public int hashCode() {
    return keys.hashCode();
  }

  @Override
  public String toString() {
    return keys.size() + (keys.size() == 1 ? " key" : " keys");
  }
}
