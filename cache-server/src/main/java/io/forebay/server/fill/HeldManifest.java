package io.forebay.server.fill;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.route.MediaSettings;
import io.forebay.core.route.Route;
import io.forebay.server.media.HlsPlaylist;
import io.forebay.server.media.ManifestLifetime;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A manifest whose head is held until its body has come, because the body says for how long it is
 * fresh. A manifest longer than {@link #MAX_BYTES} is not held until its end.
 *
 * <p>Owner: the fill's loop.
 */
final class HeldManifest {

  /** Parsed on the loop, so no more than takes a millisecond or two. */
  static final int MAX_BYTES = 256 << 10;

  private final FillRequest order;
  private final int status;
  private final HeaderFields fields;
  private final long contentLength;
  private final boolean isCloseDelimited;
  private final ArrayDeque<ByteBuf> body = new ArrayDeque<>(4);
  private int heldBytes;

  private HeldManifest(
      FillRequest order,
      int status,
      HeaderFields fields,
      long contentLength,
      boolean isCloseDelimited) {
    this.order = order;
    this.status = status;
    this.fields = fields;
    this.contentLength = contentLength;
    this.isCloseDelimited = isCloseDelimited;
  }

  /** Whether a response is a manifest whose body says for how long it is fresh. */
  static boolean isTimed(FillRequest order, int status, HeaderFields fields) {
    return order.route().settings().media().timesManifests()
        && status < 400
        && ManifestLifetime.isManifest(order.request().pathText(), fields.first("content-type"));
  }

  /**
   * Holds a manifest, to be ended by {@link #end}; null if it is too long, no body to read, or too
   * many are held.
   */
  static @Nullable HeldManifest of(
      FillContext loop,
      FillRequest order,
      int status,
      HeaderFields fields,
      long contentLength,
      boolean isCloseDelimited) {
    return status == 200 && contentLength <= MAX_BYTES && loop.fills().tryBeginManifest()
        ? new HeldManifest(order, status, fields, contentLength, isCloseDelimited)
        : null;
  }

  /** The route of a manifest that is not read. */
  static Route unread(FillRequest order) {
    return timed(
        order.route(), ManifestLifetime.of(order.route().settings().media().preset(), null));
  }

  /**
   * A route with a lifetime for manifests. What is short already needs no spreading, and what is
   * confirmed keeps its lifetime.
   */
  static Route timed(Route route, Duration lifetime) {
    return route.withSettings(
        route.settings().toBuilder().defaultTtl(lifetime).jitterPercent(0).build());
  }

  int status() {
    return status;
  }

  HeaderFields fields() {
    return fields;
  }

  long contentLength() {
    return contentLength;
  }

  boolean isCloseDelimited() {
    return isCloseDelimited;
  }

  /**
   * Takes over a buffer; false if the manifest is too long to be held: the caller then sends on
   * what has come.
   */
  boolean add(ByteBuf data) {
    heldBytes += data.readableBytes();
    body.add(data);
    return heldBytes <= MAX_BYTES;
  }

  /** The next buffer of the body, which is the caller's; null after the last one. */
  @Nullable ByteBuf poll() {
    return body.poll();
  }

  /** Gives its place back, and what is left of the body. */
  void end(FillContext loop) {
    loop.fills().endManifest();
    for (ByteBuf data = poll(); data != null; data = poll()) {
      data.release();
    }
  }

  /**
   * The route with the lifetime that the manifest says.
   *
   * @param isWhole whether all of the body has come
   */
  Route timed(FillContext loop, boolean isWhole) {
    return timed(order.route(), lifetime(loop, isWhole ? text() : null));
  }

  private Duration lifetime(FillContext loop, @Nullable String text) {
    MediaSettings.Preset preset = order.route().settings().media().preset();
    if (text != null && text.stripLeading().startsWith("<")) {
      return ManifestLifetime.ofMpd(preset, text);
    }
    HlsPlaylist playlist = text == null ? null : HlsPlaylist.parse(text).orElse(null);
    if (playlist != null && order.route().settings().media().isLive()) {
      loop.history().playlists().learn(order.request(), playlist);
    }
    return ManifestLifetime.isBlockingReload(order.request())
        ? ManifestLifetime.ofBlockingReload(preset, playlist)
        : ManifestLifetime.of(preset, playlist);
  }

  /** The body as text; null if it has a coding that is not read here. */
  private @Nullable String text() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(heldBytes);
    try {
      for (ByteBuf data : body) {
        data.getBytes(data.readerIndex(), bytes, data.readableBytes());
      }
      CharSequence coding = fields.first("content-encoding");
      if (coding == null || FieldSyntax.equalsIgnoreCase(coding, "identity")) {
        return bytes.toString(StandardCharsets.UTF_8);
      }
      return FieldSyntax.equalsIgnoreCase(coding, "gzip") ? unzipped(bytes.toByteArray()) : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** Null where it is longer than what is held: a bomb is not unpacked. */
  private static @Nullable String unzipped(byte[] zipped) throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(zipped))) {
      byte[] plain = in.readNBytes(MAX_BYTES + 1);
      return plain.length > MAX_BYTES ? null : new String(plain, StandardCharsets.UTF_8);
    }
  }
}
