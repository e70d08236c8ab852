package io.forebay.server.response;

import io.forebay.core.http.Latin1Text;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The first lines of some fields of a response head, copied before the head is sent; the last head
 * counts. Allocates nothing after its creation.
 *
 * <p>Owner: a loop.
 */
public final class LoggedFields implements Consumer<ByteBuf> {

  /** One more than is logged of a value, so that a longer one is seen to be cut. */
  private final int capacity;

  private final byte[] values;
  private final int[] lengths;
  private final Latin1Text value = new Latin1Text();
  private List<String> names = List.of();

  /**
   * For a number of fields.
   *
   * @param count of fields at most
   * @param maxLength what is used of a value at most
   */
  public LoggedFields(int count, int maxLength) {
    this.capacity = maxLength + 1;
    this.values = new byte[count * capacity];
    this.lengths = new int[count];
  }

  /** The fields that are wanted, in lower case; there has been no head yet. */
  public LoggedFields of(List<String> lowerCaseNames) {
    names = lowerCaseNames;
    for (int i = 0; i < names.size(); i++) {
      lengths[i] = -1;
    }
    return this;
  }

  /** The value of the field at that place, valid until the next call; null without one. */
  public @Nullable CharSequence value(int index) {
    return index >= names.size() || lengths[index] < 0
        ? null
        : value.over(values, index * capacity, index * capacity + lengths[index]);
  }

  @Override
  public void accept(ByteBuf head) {
    for (int i = 0; i < names.size(); i++) {
      lengths[i] = -1;
    }
    int end = head.writerIndex();
    int at = head.readerIndex();
    while (at < end) {
      int lineEnd = head.indexOf(at, end, (byte) '\n');
      if (lineEnd < 0) {
        lineEnd = end;
      }
      for (int i = 0; i < names.size(); i++) {
        if (lengths[i] < 0 && begins(head, at, lineEnd, names.get(i))) {
          copy(head, at + names.get(i).length() + 1, lineEnd, i);
          break;
        }
      }
      at = lineEnd + 1;
    }
  }

  private static boolean begins(ByteBuf head, int from, int to, String name) {
    int length = name.length();
    if (to - from <= length || head.getByte(from + length) != ':') {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (head.getByte(from + i) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private void copy(ByteBuf head, int from, int to, int index) {
    int start = from;
    int end = to;
    while (start < end && isPadding(head.getByte(start))) {
      start++;
    }
    while (end > start && isPadding(head.getByte(end - 1))) {
      end--;
    }
    lengths[index] = Math.min(end - start, capacity);
    head.getBytes(start, values, index * capacity, lengths[index]);
  }

  private static boolean isPadding(byte b) {
    return b == ' ' || b == '\t' || b == '\r';
  }
}
