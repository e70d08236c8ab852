package io.forebay.server.response;

import io.forebay.core.key.ResponseTags;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** The lines with cache tags in a head that is being written. */
public final class TagLines {
  private static final byte[][] NAMES =
      ResponseTags.fieldNames().stream()
          .map(name -> (name + ":").getBytes(StandardCharsets.ISO_8859_1))
          .toArray(byte[][]::new);

  private TagLines() {}

  /** Whether one of the lines written so far carries tags; names are in lower case. */
  public static boolean areIn(ByteBuf head) {
    return NamedLines.areIn(head, NAMES);
  }

  /** Removes them. */
  public static void removeFrom(ByteBuf head) {
    NamedLines.removeFrom(head, NAMES);
  }
}
