package io.forebay.storage.lane;

import io.forebay.storage.purge.ActiveBirths;
import java.util.Arrays;

/**
 * The births of the objects that one lane is storing: a sweep waits for those born before its
 * purge. Confined to its lane, except the smallest one, which is published.
 */
final class LaneBirths {
  private final ActiveBirths active;
  private final int lane;
  private long[] births = new long[16];
  private int count;

  LaneBirths(ActiveBirths active, int lane) {
    this.active = active;
    this.lane = lane;
  }

  void add(long birth) {
    if (count == births.length) {
      births = Arrays.copyOf(births, count * 2);
    }
    births[count++] = birth;
    publish();
  }

  void remove(long birth) {
    for (int n = count - 1; n >= 0; n--) {
      if (births[n] == birth) {
        births[n] = births[--count];
        publish();
        return;
      }
    }
    throw new IllegalStateException("birth " + birth + " was not announced by lane " + lane);
  }

  private void publish() {
    long least = Long.MAX_VALUE;
    for (int n = 0; n < count; n++) {
      least = Math.min(least, births[n]);
    }
    active.publish(lane, least);
  }
}
