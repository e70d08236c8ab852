package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.TicketConfig;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The keys of session tickets: the first encrypts, all of them decrypt. They are either generated
 * and rotated, so that a stolen key exposes hours of traffic and not years, or read from a file
 * that several nodes share, or those of a cluster.
 *
 * <p>Owner: one thread at a time; a list that was handed out does not change.
 */
final class TicketKeys {
  static final int KEY_LENGTH = OpenSslSessionTicketKey.TICKET_KEY_SIZE;
  private static final int MAX_KEYS = 16;
  private static final int MAX_FILE_BYTES = 64 * 1024;

  /** Keys of our own that open tickets beside the one that encrypts. */
  private static final int OLD_KEYS = 2;

  private final TicketConfig config;
  private final RandomGenerator random;
  private List<byte[]> keys;
  private long madeAtMillis;
  private boolean isShared;

  private TicketKeys(TicketConfig config, RandomGenerator random, List<byte[]> keys, long now) {
    this.config = config;
    this.random = random;
    this.keys = keys;
    this.madeAtMillis = now;
  }

  /**
   * The first keys.
   *
   * @param random what cannot be guessed
   * @throws TlsException when the file that is configured has none
   */
  static TicketKeys of(TicketConfig config, RandomGenerator random, long nowMillis)
      throws TlsException {
    Path file = config.file();
    List<byte[]> keys =
        !config.enabled() ? List.of() : file == null ? List.of(made(random)) : read(file);
    return new TicketKeys(config, random, keys, nowMillis);
  }

  TicketConfig config() {
    return config;
  }

  /** The first encrypts, all of them open; not to be changed. */
  List<byte[]> keys() {
    return keys;
  }

  /**
   * Replaces what is due.
   *
   * @return whether there are other keys now
   * @throws TlsException when the file has none; those from before stay
   */
  boolean step(long nowMillis) throws TlsException {
    if (!config.enabled()) {
      return false;
    }
    Path file = config.file();
    if (file != null) {
      List<byte[]> read = read(file);
      boolean isSame = isSame(read);
      keys = read;
      return !isSame;
    }
    if (isShared || nowMillis - madeAtMillis < config.rotation().toMillis()) {
      return false;
    }
    List<byte[]> next = new ArrayList<>();
    next.add(made(random));
    next.addAll(keys.subList(0, Math.min(OLD_KEYS, keys.size())));
    keys = List.copyOf(next);
    madeAtMillis = nowMillis;
    return true;
  }

  /** Whether keys of a cluster are used: tickets are on, and no file has keys. */
  boolean isSharing() {
    return config.enabled() && config.file() == null;
  }

  /**
   * Takes the keys of a cluster, which rotates them.
   *
   * @return whether they are others than before
   */
  boolean share(List<byte[]> shared) {
    if (!isSharing() || isSame(shared)) {
      return false;
    }
    keys = List.copyOf(shared);
    isShared = true;
    return true;
  }

  /**
   * Goes on with the generated keys of the process before this one, whose tickets stay valid.
   *
   * @param made when the first of them was made
   * @return whether they are others than before
   */
  boolean inherit(List<byte[]> before, long made) {
    if (!isSharing() || isShared || before.isEmpty() || isSame(before)) {
      return false;
    }
    keys = List.copyOf(before);
    madeAtMillis = made;
    return true;
  }

  /** When the first key was made; without meaning for keys of a file or of a cluster. */
  long madeAtMillis() {
    return madeAtMillis;
  }

  private boolean isSame(List<byte[]> others) {
    return Arrays.deepEquals(others.toArray(new byte[0][]), keys.toArray(new byte[0][]));
  }

  /** Gives a context the keys of now; connections under way are not disturbed. */
  void applyTo(SslContext context) {
    if (!keys.isEmpty() && context.sessionContext() instanceof OpenSslSessionContext sessions) {
      OpenSslSessionTicketKey[] all = new OpenSslSessionTicketKey[keys.size()];
      for (int i = 0; i < all.length; i++) {
        byte[] key = keys.get(i);
        all[i] =
            new OpenSslSessionTicketKey(
                Arrays.copyOfRange(key, 0, 16),
                Arrays.copyOfRange(key, 16, 32),
                Arrays.copyOfRange(key, 32, 48));
      }
      sessions.setTicketKeys(all);
    }
  }

  private static byte[] made(RandomGenerator random) {
    byte[] key = new byte[KEY_LENGTH];
    random.nextBytes(key);
    return key;
  }

  private static List<byte[]> read(Path file) throws TlsException {
    List<byte[]> keys = new ArrayList<>();
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw new TlsException("ticket keys: " + file + " is larger than 64KiB");
      }
      for (String line : Files.readString(file, StandardCharsets.ISO_8859_1).lines().toList()) {
        String text = line.strip();
        if (!text.isEmpty() && !text.startsWith("#")) {
          byte[] key = Base64.getDecoder().decode(text);
          if (key.length != KEY_LENGTH) {
            throw new TlsException(
                "ticket keys: "
                    + file
                    + " has a key of "
                    + key.length
                    + " bytes instead of 48; create one with: openssl rand -base64 48");
          }
          keys.add(key);
        }
      }
    } catch (IllegalArgumentException e) {
      throw new TlsException("ticket keys: " + file + " has a line that is not base64");
    } catch (IOException e) {
      throw new TlsException("ticket keys: " + file + " cannot be read: " + e.getMessage());
    }
    if (keys.isEmpty() || keys.size() > MAX_KEYS) {
      throw new TlsException(
          "ticket keys: "
              + file
              + " has "
              + keys.size()
              + " keys; 1 to "
              + MAX_KEYS
              + " are allowed");
    }
    return List.copyOf(keys);
  }
}
