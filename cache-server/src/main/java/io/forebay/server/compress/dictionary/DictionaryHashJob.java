package io.forebay.server.compress.dictionary;

import io.forebay.core.key.KeyBuilder;
import io.forebay.server.compress.CodingStream;
import io.forebay.server.compress.copy.CodingFeed;
import io.forebay.server.compress.copy.SourceReader;
import io.forebay.server.fill.FillContext;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Computes the hash of one stored response and writes the marker that leads from it to the
 * response. Owner: the loop.
 */
final class DictionaryHashJob implements CodingStream.Listener {

  private static final int MAX_RETRIES = 20;
  private static final long RETRY_MICROS = 200;

  /**
   * What becomes the marker.
   *
   * @param keyText its key, with a place for the hash at the end
   * @param head its metadata
   * @param target the key of the response, which is its body
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Marker(
      byte[] keyText,
      byte[] head,
      byte[] target,
      long[] scopes,
      long expiresAtMillis,
      HeadSpec.Copied copied,
      int storageClass) {}

  private final FillContext loop;
  private final Marker marker;
  private final BiFunction<byte[], byte[], @Nullable KeyBuilder> keyOf;
  private final Consumer<Boolean> done;
  private final CodingFeed feed;
  private final SourceReader reader;
  private final ByteBuf digest = Unpooled.buffer(32);

  private @Nullable ObjectWriter writer;
  private int retries;
  private boolean isOver;

  /**
   * A job that has not begun.
   *
   * @param source held during the call
   * @param keyOf makes the whole key of its text and the hash
   * @param done told once, whether the marker is there
   */
  DictionaryHashJob(
      FillContext loop,
      StoredHead source,
      Marker marker,
      BiFunction<byte[], byte[], @Nullable KeyBuilder> keyOf,
      Consumer<Boolean> done) {
    this.loop = loop;
    this.marker = marker;
    this.keyOf = keyOf;
    this.done = done;
    this.feed = new CodingFeed((why, minutes) -> end(false));
    this.reader = new SourceReader(loop, source, feed);
  }

  /**
   * Begins.
   *
   * @param body the whole body if it lies with the head, else null
   */
  void start(CodingStream opened, @Nullable ByteBuffer body) {
    feed.into(opened);
    reader.start(body);
  }

  // --- the hash ---------------------------------------------------------------------------------

  @Override
  public void onReady() {
    reader.pump();
  }

  @Override
  public void onEncoded(ByteBuf data) {
    digest.writeBytes(data);
    data.release();
  }

  @Override
  public void onFailed(Throwable why) {
    end(false);
  }

  @Override
  public void onEnd() {
    byte[] sha256 = new byte[digest.readableBytes()];
    digest.readBytes(sha256);
    byte[] keyText = marker.keyText();
    KeyBuilder key = keyOf.apply(keyText, sha256);
    long birth = loop.store().nextBirth();
    ObjectWriter to =
        key == null || birth < 0
            ? null
            : loop.lane()
                .begin(
                    new HeadSpec(
                            key.hi(),
                            key.lo(),
                            keyText,
                            keyText.length,
                            marker.head(),
                            marker.scopes(),
                            birth,
                            marker.expiresAtMillis(),
                            HeadSpec.Kind.OBJECT,
                            marker.target().length)
                        .inClass(marker.storageClass())
                        .copiedFrom(marker.copied()));
    writer = to;
    if (to == null || !to.append(ByteBuffer.wrap(marker.target())) || !to.reserveHead()) {
      end(false);
    } else {
      finish();
    }
  }

  private void finish() {
    ObjectWriter to = writer;
    if (to == null || isOver) {
      return;
    }
    InstallOutcome outcome = to.finish();
    if (outcome == InstallOutcome.BUSY && ++retries <= MAX_RETRIES) {
      loop.eventLoop().schedule(this::finish, RETRY_MICROS, TimeUnit.MICROSECONDS);
      return;
    }
    if (outcome != InstallOutcome.BUSY) {
      writer = null;
    }
    end(outcome == InstallOutcome.INSTALLED);
  }

  private void end(boolean isLearned) {
    if (isOver) {
      return;
    }
    isOver = true;
    reader.stop();
    feed.cancel();
    ObjectWriter unfinished = writer;
    if (unfinished != null) {
      unfinished.abort();
    }
    digest.release();
    done.accept(isLearned);
  }
}
