package io.forebay.server.compress.copy;

import io.forebay.server.compress.DictionarySettings;
import io.forebay.server.counters.CopyCounters.Outcome;
import io.forebay.server.fill.FillContext;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.StoredHead;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the whole body of a dictionary. Owner: the loop. */
final class BodyLoader implements SourceReader.Sink {
  private final ByteBuffer body;
  private final Consumer<byte @Nullable []> done;

  private BodyLoader(int length, Consumer<byte @Nullable []> done) {
    this.body = ByteBuffer.allocate(length);
    this.done = done;
  }

  /**
   * Reads it.
   *
   * @param done told once, now or later, on the loop; null where it is not there
   */
  static void load(
      FillContext loop, StoredDictionary dictionary, Consumer<byte @Nullable []> done) {
    StoreLane lane = loop.lane();
    byte[] key = dictionary.keyText();
    if (lane.find(dictionary.hi(), dictionary.lo(), key, key.length) != StoreLane.Found.HIT) {
      done.accept(null);
      return;
    }
    StoredHead head = new StoredHead();
    head.takeOver(lane.head());
    try {
      boolean isThere =
          head.objectId() == dictionary.objectId()
              && head.region() >= 0
              && head.totalLength() > 0
              && head.totalLength() <= DictionarySettings.MAX_BYTES;
      if (isThere) {
        BodyLoader loader = new BodyLoader((int) head.totalLength(), done);
        new SourceReader(loop, head, loader).start(SourceReader.inline(loop, head));
      } else {
        done.accept(null);
      }
    } finally {
      lane.unpin(head);
    }
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void onPiece(ByteBuffer bytes) {
    body.put(bytes);
  }

  @Override
  public void onWhole() {
    done.accept(body.array());
  }

  @Override
  public void onLost(Outcome why, int minutes) {
    done.accept(null);
  }
}
