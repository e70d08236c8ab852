package io.forebay.server.compress.copy;

import io.forebay.server.compress.CodingStream;
import io.forebay.server.counters.CopyCounters.Outcome;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Takes the body that a {@link SourceReader} reads into a coding. Owner: the loop. */
public final class CodingFeed implements SourceReader.Sink {

  /** Told when the body cannot be read to its end. */
  public interface Lost {
    /** As {@link SourceReader.Sink#onLost}. */
    void onLost(Outcome why, int minutes);
  }

  private final Lost lost;
  private @Nullable CodingStream stream;

  /** For a coding that is not open yet. */
  public CodingFeed(Lost lost) {
    this.lost = lost;
  }

  /** Where the body goes; said before the reading starts. */
  public void into(CodingStream coding) {
    stream = coding;
  }

  /** Ends the coding, if there is one. */
  public void cancel() {
    CodingStream to = stream;
    if (to != null) {
      to.cancel();
    }
  }

  @Override
  public boolean isReady() {
    CodingStream to = stream;
    return to != null && to.isReady();
  }

  @Override
  public void onPiece(ByteBuffer bytes) {
    CodingStream to = stream;
    if (to != null) {
      // The coding copies it at once.
      to.write(Unpooled.wrappedBuffer(bytes));
    }
  }

  @Override
  public void onWhole() {
    CodingStream to = stream;
    if (to != null) {
      to.end();
    }
  }

  @Override
  public void onLost(Outcome why, int minutes) {
    lost.onLost(why, minutes);
  }
}
