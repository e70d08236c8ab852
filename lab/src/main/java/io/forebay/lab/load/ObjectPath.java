package io.forebay.lab.load;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Paths of one object class. Writing one allocates nothing. */
public final class ObjectPath {
  private static final String NUMBER = "{n}";
  private static final int MAX_DIGITS = 19;

  private final List<byte[]> parts = new ArrayList<>();
  private final byte[] digits = new byte[MAX_DIGITS];

  public ObjectPath(String prefix, LoadPlan.ObjectClass object) {
    String path = prefix + object.path().replace("{bytes}", Long.toString(object.bytes()));
    int at = 0;
    for (int next = path.indexOf(NUMBER); next >= 0; next = path.indexOf(NUMBER, at)) {
      parts.add(path.substring(at, next).getBytes(StandardCharsets.ISO_8859_1));
      at = next + NUMBER.length();
    }
    parts.add(path.substring(at).getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Bytes of the path with this number. */
  public int length(long number) {
    int length = (parts.size() - 1) * digits(number);
    for (int i = 0; i < parts.size(); i++) {
      length += parts.get(i).length;
    }
    return length;
  }

  private static int digits(long number) {
    int count = 1;
    for (long rest = number / 10; rest > 0; rest /= 10) {
      count++;
    }
    return count;
  }

  public void write(ByteBuf out, long number) {
    out.writeBytes(parts.get(0));
    if (parts.size() == 1) {
      return;
    }
    int from = MAX_DIGITS;
    long rest = number;
    do {
      digits[--from] = (byte) ('0' + rest % 10);
      rest /= 10;
    } while (rest > 0);
    for (int i = 1; i < parts.size(); i++) {
      out.writeBytes(digits, from, MAX_DIGITS - from);
      out.writeBytes(parts.get(i));
    }
  }

  public String text(long number) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      if (i > 0) {
        text.append(number);
      }
      text.append(new String(parts.get(i), StandardCharsets.ISO_8859_1));
    }
    return text.toString();
  }
}
