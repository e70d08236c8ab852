package io.forebay.server.cluster.etcd;

import io.forebay.server.cluster.etcd.EtcdException.Kind;
import io.forebay.server.text.Printable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** An open watch. One thread reads; any thread may close it, which ends the read. */
public final class EtcdWatch implements AutoCloseable {
  private final InputStream stream;
  private final byte[] buffer = new byte[32 << 10];
  private int position;
  private int limit;

  EtcdWatch(InputStream stream) {
    this.stream = stream;
  }

  /**
   * Waits for the next message.
   *
   * @throws EtcdException when the watch has ended; {@code COMPACTED} where etcd has no longer the
   *     revisions that would come next
   */
  public WatchBatch next() throws EtcdException {
    ObjectNode message = EtcdJson.object(line());
    JsonNode result = message.path("result");
    if (!result.isObject()) {
      JsonNode error = message.path("error");
      throw ended(error.path("message").asString(error.asString("no result")));
    }
    if (EtcdJson.number(result, "compact_revision") > 0) {
      throw new EtcdException(
          Kind.COMPACTED,
          "the log is compacted up to revision " + EtcdJson.number(result, "compact_revision"));
    }
    if (result.path("canceled").asBoolean(false)) {
      throw ended(result.path("cancel_reason").asString("cancelled"));
    }
    List<KeyValue> puts = new ArrayList<>();
    long highest = 0;
    for (JsonNode event : result.path("events")) {
      KeyValue kv = EtcdJson.keyValue(event.path("kv"));
      highest = Math.max(highest, kv.revision());
      if (!event.path("type").asString("PUT").equals("DELETE")) {
        puts.add(kv);
      }
    }
    // The last revision of a fragment may go on in the next one.
    boolean isFragment = result.path("fragment").asBoolean(false);
    return new WatchBatch(puts, isFragment ? highest - 1 : highest);
  }

  private static EtcdException ended(String why) {
    return new EtcdException(Kind.UNAVAILABLE, "the watch ended: " + Printable.json(why));
  }

  private byte[] line() throws EtcdException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try {
      while (true) {
        if (position == limit) {
          position = 0;
          limit = Math.max(0, stream.read(buffer));
          if (limit == 0) {
            throw ended("the member closed it");
          }
        }
        int from = position;
        while (position < limit && buffer[position] != '\n') {
          position++;
        }
        line.write(buffer, from, position - from);
        if (line.size() > EtcdJson.MAX_BYTES) {
          throw ended("a message is longer than " + EtcdJson.MAX_BYTES + " bytes");
        }
        if (position < limit) {
          position++;
          if (line.size() > 0) {
            return line.toByteArray();
          }
        }
      }
    } catch (IOException e) {
      throw ended(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      // The watch has ended in both cases.
    }
  }
}
