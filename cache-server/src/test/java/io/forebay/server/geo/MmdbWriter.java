package io.forebay.server.geo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes small files of MaxMind's format, version 2: a search tree of IPv6 with IPv4 below {@code
 * ::/96}, records of 24 bits, then the data, then the metadata.
 */
public final class MmdbWriter {
  private static final int EMPTY = -1;
  private static final byte[] MARKER = {
    (byte) 0xab, (byte) 0xcd, (byte) 0xef, 'M', 'a', 'x', 'M', 'i', 'n', 'd', '.', 'c', 'o', 'm'
  };

  private final String type;

  /** Two records a node: another node, EMPTY, or -2 - N for the data at N. */
  private final List<int[]> nodes = new ArrayList<>();

  private final ByteArrayOutputStream data = new ByteArrayOutputStream();

  public MmdbWriter(String type) {
    this.type = type;
    nodes.add(new int[] {EMPTY, EMPTY});
  }

  /** A network in which clients are in that country. */
  public MmdbWriter country(String network, String code) {
    return put(network, Map.of("country", Map.of("iso_code", code, "names", Map.of("en", code))));
  }

  /** A network of that autonomous system. */
  public MmdbWriter asn(String network, long number) {
    Map<String, Object> record = new LinkedHashMap<>();
    record.put("autonomous_system_number", number);
    record.put("autonomous_system_organization", "AS " + number);
    return put(network, record);
  }

  /** A network with any record; must not hold, nor lie in, one that is there. */
  public MmdbWriter put(String network, Map<String, ?> record) {
    int slash = network.indexOf('/');
    byte[] bytes = InetAddress.ofLiteral(network.substring(0, slash)).getAddress();
    int length = Integer.parseInt(network.substring(slash + 1)) + 128 - 8 * bytes.length;
    BigInteger address = new BigInteger(1, bytes);
    int value = -2 - data.size();
    write(data, record);
    int node = 0;
    for (int bit = 0; bit < length - 1; bit++) {
      int side = address.testBit(127 - bit) ? 1 : 0;
      int next = nodes.get(node)[side];
      if (next == EMPTY) {
        next = nodes.size();
        nodes.add(new int[] {EMPTY, EMPTY});
        nodes.get(node)[side] = next;
      } else if (next < 0) {
        throw new IllegalArgumentException(network + " lies in another network");
      }
      node = next;
    }
    int side = address.testBit(128 - length) ? 1 : 0;
    if (nodes.get(node)[side] != EMPTY) {
      throw new IllegalArgumentException(network + " is there, or holds another network");
    }
    nodes.get(node)[side] = value;
    return this;
  }

  public byte[] bytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int[] node : nodes) {
      for (int record : node) {
        int value =
            record >= 0
                ? record
                : record == EMPTY ? nodes.size() : nodes.size() + 16 + (-2 - record);
        out.write(value >>> 16);
        out.write(value >>> 8);
        out.write(value);
      }
    }
    out.writeBytes(new byte[16]);
    out.writeBytes(data.toByteArray());
    out.writeBytes(MARKER);
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("binary_format_major_version", 2);
    metadata.put("binary_format_minor_version", 0);
    metadata.put("build_epoch", BigInteger.valueOf(1_700_000_000L));
    metadata.put("database_type", type);
    metadata.put("description", Map.of("en", "for tests"));
    metadata.put("ip_version", 6);
    metadata.put("languages", List.of("en"));
    metadata.put("node_count", (long) nodes.size());
    metadata.put("record_size", 24);
    write(out, metadata);
    return out.toByteArray();
  }

  public Path write(Path file) throws IOException {
    return Files.write(file, bytes());
  }

  /** Texts, maps and lists; Integer is an unsigned 16 bit number, Long 32, BigInteger 64. */
  private static void write(ByteArrayOutputStream out, Object value) {
    switch (value) {
      case String text -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        control(out, 2, bytes.length);
        out.writeBytes(bytes);
      }
      case Integer number -> number(out, 5, number);
      case Long number -> number(out, 6, number);
      case BigInteger number -> number(out, 9, number.longValueExact());
      case Map<?, ?> map -> {
        control(out, 7, map.size());
        map.forEach((key, entry) -> {
          write(out, key);
          write(out, entry);
        });
      }
      case List<?> list -> {
        control(out, 11, list.size());
        list.forEach(entry -> write(out, entry));
      }
      default -> throw new IllegalArgumentException(value.toString());
    }
  }

  private static void number(ByteArrayOutputStream out, int type, long value) {
    int length = (Long.SIZE - Long.numberOfLeadingZeros(value) + 7) / 8;
    control(out, type, length);
    for (int i = length - 1; i >= 0; i--) {
      out.write((int) (value >>> (8 * i)));
    }
  }

  private static void control(ByteArrayOutputStream out, int type, int size) {
    boolean isLong = size >= 29;
    int sizeBits = isLong ? 29 : size;
    if (type < 8) {
      out.write(type << 5 | sizeBits);
    } else {
      out.write(sizeBits);
      out.write(type - 7);
    }
    if (isLong) {
      out.write(size - 29);
    }
  }
}
