package io.forebay.server.geo;

import com.maxmind.db.Reader;
import io.forebay.server.network.IpAddress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of MaxMind's format, held in the heap: a mapped one could make an event loop wait for a
 * disk. Any thread.
 */
public final class MmdbFile {
  private static final Logger LOG = LoggerFactory.getLogger(MmdbFile.class);
  private static final long MAX_BYTES = 256L << 20;

  /** What a file can tell. */
  public enum Kind {
    COUNTRY("country|city|enterprise", "countries"),
    ASN("asn|isp|enterprise", "AS numbers");

    private final String types;
    private final String what;

    Kind(String types, String what) {
      this.types = types;
      this.what = what;
    }
  }

  private final Path file;
  private final Reader reader;
  private final String type;
  private final long checksum;
  private volatile boolean isReported;

  private MmdbFile(Path file, Reader reader, String type, long checksum) {
    this.file = file;
    this.reader = reader;
    this.type = type;
    this.checksum = checksum;
  }

  /**
   * Reads a file.
   *
   * @throws IOException with a message that says why, for one that cannot be used
   */
  public static MmdbFile read(Path file, Kind kind) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("is larger than 256MiB");
    }
    byte[] bytes = Files.readAllBytes(file);
    CRC32C checksum = new CRC32C();
    checksum.update(bytes);
    Reader reader;
    String type;
    try {
      reader = new Reader(new ByteArrayInputStream(bytes));
      type = Objects.requireNonNull(reader.getMetadata().databaseType(), "it has no type");
    } catch (IOException | RuntimeException e) {
      throw new IOException("is not an MMDB file: " + e.getMessage(), e);
    }
    String lower = type.toLowerCase(Locale.ROOT);
    if (!lower.matches(".*(" + kind.types + ").*")) {
      throw new IOException("has the type " + type + ", which has no " + kind.what);
    }
    return new MmdbFile(file, reader, type, checksum.getValue());
  }

  public Path file() {
    return file;
  }

  /** The type that the file gives itself, such as {@code GeoLite2-Country}. */
  public String type() {
    return type;
  }

  /** A checksum of the content (CRC-32C), by which a reload tells a changed file. */
  public long checksum() {
    return checksum;
  }

  /** The code of the country in which an address is used, or null. */
  @Nullable String country(IpAddress address) {
    Map<?, ?> record = record(address);
    Object country = record == null ? null : record.get("country");
    Object code = country instanceof Map<?, ?> map ? map.get("iso_code") : null;
    return code instanceof String text ? text : null;
  }

  /** The number of the autonomous system of an address, or null. */
  @Nullable Long asn(IpAddress address) {
    Map<?, ?> record = record(address);
    Object number = record == null ? null : record.get("autonomous_system_number");
    return number instanceof Number value ? Long.valueOf(value.longValue()) : null;
  }

  /** A record that cannot be read is none: the file has a defect that its head did not show. */
  private @Nullable Map<?, ?> record(IpAddress address) {
    try {
      return reader.get(InetAddress.getByAddress(address.bytes()), Map.class);
    } catch (IllegalArgumentException e) {
      // An IPv6 address, in a file for IPv4.
      return null;
    } catch (IOException | RuntimeException | StackOverflowError e) {
      if (!isReported) {
        isReported = true;
        LOG.warn("{} has a record that cannot be read: {}", file, e.toString());
      }
      return null;
    }
  }

  @Override
  public String toString() {
    return type;
  }
}
