package io.forebay.benchmarks.trace;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * Requests in their order. Objects are numbered densely from 0 in order of first appearance; a
 * request carries the size the trace gives it.
 */
final class Trace {
  private final String name;
  private int[] ids = new int[1 << 16];
  private long[] sizes = new long[1 << 16];
  private int count;
  private int objectCount;
  private long distinctBytes;

  Trace(String name) {
    this.name = name;
  }

  /** Lines of {@code time,object,size}; gzip if the name ends in .gz; blank lines are skipped. */
  static Trace read(Path file) throws IOException {
    Trace trace = new Trace(String.valueOf(file.getFileName()));
    try (InputStream raw = Files.newInputStream(file);
        InputStream bytes =
            file.toString().endsWith(".gz") ? new GZIPInputStream(raw, 1 << 16) : raw;
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8))) {
      Map<String, Integer> numbers = new HashMap<>();
      String line;
      for (int number = 1; (line = lines.readLine()) != null; number++) {
        if (line.isBlank()) {
          continue;
        }
        int first = line.indexOf(',');
        int second = line.indexOf(',', first + 1);
        int third = second < 0 ? -1 : line.indexOf(',', second + 1);
        try {
          long size =
              Long.parseLong(line.substring(second + 1, third < 0 ? line.length() : third).strip());
          if (first < 0 || second < 0 || size < 0) {
            throw new NumberFormatException("three fields, the last a length");
          }
          trace.add(
              numbers.computeIfAbsent(line.substring(first + 1, second), _ -> numbers.size()),
              size);
        } catch (NumberFormatException e) {
          throw new IOException(file + ", line " + number + ": not time,object,size: " + line, e);
        }
      }
    }
    return trace;
  }

  /** Appends a request; a number not seen before must be the next one. */
  void add(int id, long size) {
    if (count == ids.length) {
      ids = Arrays.copyOf(ids, count * 2);
      sizes = Arrays.copyOf(sizes, count * 2);
    }
    if (id == objectCount) {
      objectCount++;
      distinctBytes += size;
    } else if (id > objectCount) {
      throw new IllegalArgumentException("object " + id + " before object " + objectCount);
    }
    ids[count] = id;
    sizes[count++] = size;
  }

  String name() {
    return name;
  }

  int count() {
    return count;
  }

  int objectCount() {
    return objectCount;
  }

  long distinctBytes() {
    return distinctBytes;
  }

  int id(int request) {
    return ids[request];
  }

  long size(int request) {
    return sizes[request];
  }
}
