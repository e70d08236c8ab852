package io.forebay.server.esi;

import io.forebay.core.http.TargetUri;
import io.forebay.server.compress.CodingStream;
import io.forebay.server.compress.ContentCoding;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of one response on its way into the page: of the page itself, or of a fragment.
 *
 * <pre>
 *   sink ─ bytes ─► decoder, if it is coded ─► incoming ─ turn ─► parser, if it has tags ─► nodes
 *                                                                                        ─ drain ─►
 * </pre>
 *
 * <p>The source of the bytes waits while {@link #WINDOW} bytes are held, or more in nodes that are
 * not decided, which count against the bound of the page.
 */
final class EsiDocument implements EsiParser.Handler, CodingStream.Listener {

  /** Bytes of a fragment that are held while those before it are written. */
  static final int WINDOW = 64 * 1024;

  private final PageAssembly page;
  private final TargetUri uri;
  private final int level;
  private final boolean isWhole;
  private final HeldBytes held;
  private final PartList nodes = new PartList();
  private final OpenElements elements = new OpenElements(nodes);
  private final Deque<ByteBuf> incoming = new ArrayDeque<>();

  private @Nullable FragmentSink source;
  private @Nullable EsiParser parser;
  private @Nullable CodingStream decoder;
  private long incomingBytes;
  private long receivedBytes;
  private boolean isInRemove;
  private boolean hasSourceEnded;
  private boolean isParsed;
  private boolean isReleased;
  private @Nullable String failure;

  /**
   * The content of a response that has not come yet.
   *
   * @param uri that was asked for
   * @param level 0 for the page
   * @param isWhole whether all of it is held until an attempt is decided
   */
  EsiDocument(PageAssembly page, TargetUri uri, int level, boolean isWhole) {
    this.page = page;
    this.uri = uri;
    this.level = level;
    this.isWhole = isWhole;
    this.held = new HeldBytes(page.quota());
    nodes.activate();
  }

  TargetUri uri() {
    return uri;
  }

  int level() {
    return level;
  }

  // --- the source, in calls of sinks ------------------------------------------------------------

  /** The exchange that brings a fragment. */
  void source(FragmentSink sink) {
    source = sink;
  }

  /**
   * The response begins.
   *
   * @param coding to undo, or null
   * @param hasTags whether its tags count
   * @return false where no place for the coding is free
   */
  boolean begin(@Nullable ContentCoding coding, boolean hasTags) {
    if (hasTags) {
      parser = new EsiParser(this);
    }
    if (coding == null) {
      return true;
    }
    decoder = page.decoder(coding, this);
    return decoder != null;
  }

  /** Whether anything of the body has come. */
  boolean hasContent() {
    return incomingBytes > 0 || receivedBytes > 0 || hasSourceEnded;
  }

  /** The response is taken back; another one may begin. */
  void reset() {
    CodingStream open = decoder;
    noDecoder();
    parser = null;
    if (open != null) {
      open.cancel();
    }
  }

  /** Bytes of the body; ownership passes. */
  void add(ByteBuf chunk) {
    if (isReleased || failure != null || !chunk.isReadable()) {
      chunk.release();
      return;
    }
    CodingStream open = decoder;
    if (open != null) {
      open.write(chunk);
      return;
    }
    // The chunk may be a lease of the store or the buffer of a socket.
    ByteBuf copy = page.allocator().directBuffer(chunk.readableBytes()).writeBytes(chunk);
    chunk.release();
    arrived(copy);
  }

  private void arrived(ByteBuf bytes) {
    incoming.addLast(bytes);
    incomingBytes += bytes.readableBytes();
    page.changed(this);
  }

  void flush() {
    if (decoder != null) {
      decoder.flush();
    }
  }

  /** All of the body has come. */
  void end() {
    CodingStream open = decoder;
    if (open != null) {
      open.end();
    } else {
      hasSourceEnded = true;
      page.changed(this);
    }
  }

  /** The response can't be had, or is not one to include. */
  void fail(String why) {
    if (failure == null && !isReleased) {
      failure = why;
      page.changed(this);
    }
  }

  /** Whether the source should go on. */
  boolean isReady() {
    CodingStream open = decoder;
    boolean takes = open == null || open.isReady();
    return (takes && hasRoom()) || failure != null || isReleased;
  }

  private boolean hasRoom() {
    return incomingBytes + held.bytes() < WINDOW;
  }

  private void noDecoder() {
    decoder = null;
    page.decoded(this);
  }

  // --- the decoder ------------------------------------------------------------------------------

  @Override
  public void onEncoded(ByteBuf data) {
    arrived(data);
    CodingStream open = decoder;
    if (open != null && !hasRoom()) {
      open.pause();
    }
  }

  @Override
  public void onReady() {
    page.changed(this);
  }

  @Override
  public void onEnd() {
    noDecoder();
    hasSourceEnded = true;
    page.changed(this);
  }

  @Override
  public void onFailed(Throwable why) {
    noDecoder();
    fail("its content coding: " + why.getMessage());
  }

  // --- turns ------------------------------------------------------------------------------------

  /** Parses what has come. */
  void parse() {
    ByteBuf piece = incoming.pollFirst();
    while (piece != null) {
      int length = piece.readableBytes();
      incomingBytes -= length;
      receivedBytes += length;
      if (level > 0 && receivedBytes > page.limits().fragmentBytes()) {
        fail("is larger than esi.fragment");
      }
      try {
        if (failure == null) {
          parse(piece);
        }
      } finally {
        piece.release();
      }
      piece = incoming.pollFirst();
    }
    if (hasSourceEnded && !isParsed && failure == null) {
      isParsed = true;
      EsiParser tags = parser;
      if (tags != null) {
        tags.end();
      }
      elements.end();
    }
  }

  private void parse(ByteBuf piece) {
    EsiParser tags = parser;
    if (tags == null) {
      text(piece, piece.readerIndex(), piece.readableBytes());
    } else {
      tags.parse(piece);
    }
  }

  /** The source goes on if there is room again. */
  void resume() {
    if (decoder != null && hasRoom()) {
      decoder.resume();
    }
  }

  PagePart.State state() {
    if (failure != null) {
      return PagePart.State.FAILED;
    }
    PagePart.State state = nodes.state();
    if (state == PagePart.State.FAILED) {
      failure = nodes.why();
      return state;
    }
    return isParsed ? state : PagePart.State.RUNNING;
  }

  PagePart.Drained drain(PageOutput out) {
    if (failure != null) {
      return PagePart.Drained.FAILED;
    }
    PagePart.Drained drained = nodes.drain(out);
    if (drained == PagePart.Drained.FAILED) {
      failure = nodes.why();
    }
    return drained == PagePart.Drained.ALL && !isParsed ? PagePart.Drained.WAITS : drained;
  }

  /** Why it failed, with what it is of. */
  String why() {
    String why = failure == null ? "" : failure;
    return level == 0 || why.startsWith("fragment ") ? why : "fragment " + uri + " " + why;
  }

  long heldBytes() {
    return incomingBytes + nodes.heldBytes();
  }

  boolean isRunning() {
    FragmentSink exchange = source;
    return (exchange != null && exchange.isLive()) || nodes.isRunning();
  }

  @Nullable Include firstWaiting() {
    return nodes.firstWaiting();
  }

  /** Gives everything back, and ends its exchange. */
  void release() {
    isReleased = true;
    reset();
    ByteBuf piece = incoming.pollFirst();
    while (piece != null) {
      piece.release();
      piece = incoming.pollFirst();
    }
    incomingBytes = 0;
    nodes.discard();
    FragmentSink exchange = source;
    if (exchange != null) {
      exchange.leave();
    }
  }

  // --- the parser -------------------------------------------------------------------------------

  @Override
  public void text(ByteBuf from, int index, int length) {
    addText(from.retainedSlice(index, length));
  }

  @Override
  public void text(byte[] bytes, int length) {
    addText(Unpooled.copiedBuffer(bytes, 0, length));
  }

  @Override
  public void variable(String expression) {
    String value = page.variables().value(expression, Variables.Into.TEXT);
    if (!value.isEmpty()) {
      addText(Unpooled.copiedBuffer(value, StandardCharsets.ISO_8859_1));
    }
  }

  @Override
  public void left() {
    page.counters().leftTags++;
  }

  @Override
  public void open(String name, Map<String, String> attributes, boolean isEmpty) {
    if (isInRemove) {
      return;
    }
    switch (name) {
      case "include" -> include(attributes);
      case "remove" -> isInRemove = !isEmpty;
      case "try" -> {
        if (!isEmpty && hasRoomForElement()) {
          beginTry();
        }
      }
      case "attempt" -> {
        if (!isEmpty) {
          elements.beginAttempt();
        }
      }
      case "except" -> {
        if (!isEmpty) {
          elements.beginExcept();
        }
      }
      case "choose" -> {
        if (!isEmpty && hasRoomForElement()) {
          elements.beginChoose();
        }
      }
      case "when" -> elements.beginBranch(isEmpty, () -> holds(attributes.get("test")));
      case "otherwise" -> elements.beginBranch(isEmpty, () -> true);
      default -> {
        // A comment says nothing, and the parser knows where variables are replaced.
      }
    }
  }

  @Override
  public void close(String name) {
    if (isInRemove) {
      isInRemove = !name.equals("remove");
    } else {
      elements.close(name);
    }
  }

  private boolean hasRoomForElement() {
    boolean isFull = elements.isFull();
    if (isFull) {
      fail("has esi:try and esi:choose within each other, more than " + OpenElements.MAX_NESTED);
    }
    return !isFull;
  }

  /** A test that can't be read does not hold. */
  private boolean holds(@Nullable String test) {
    EsiExpression expression = test == null ? null : EsiExpression.of(XmlEntities.decoded(test));
    if (expression == null) {
      left();
      return false;
    }
    return expression.holds(page.variables());
  }

  private void beginTry() {
    PartList list = elements.list();
    if (list == null) {
      elements.beginTry(null);
      return;
    }
    HeldBytes counted = counted();
    if (!counted.add(0)) {
      fail(noRoom());
      return;
    }
    Try begun = new Try(page, counted);
    list.add(begun);
    elements.beginTry(begun);
  }

  private void include(Map<String, String> attributes) {
    PartList list = elements.list();
    String src = attributes.get("src");
    if (list == null || failure != null) {
      return;
    }
    if (!page.countInclude()) {
      fail("has more includes than esi.includes allows");
      return;
    }
    HeldBytes counted = counted();
    if (!counted.add(0)) {
      fail(noRoom());
      return;
    }
    String alt = attributes.get("alt");
    list.add(
        new Include(
            page,
            this,
            counted,
            src == null ? "" : url(src),
            alt == null ? null : url(alt),
            "continue".equals(attributes.get("onerror")),
            isWhole || !elements.isStreaming()));
  }

  private String url(String attribute) {
    return page.variables().expanded(XmlEntities.decoded(attribute), Variables.Into.URL);
  }

  private void addText(ByteBuf text) {
    PartList list = isInRemove || failure != null ? null : elements.list();
    if (list == null) {
      text.release();
      return;
    }
    int length = text.readableBytes();
    HeldBytes counted = counted();
    if (!counted.add(length)) {
      text.release();
      fail(noRoom());
      return;
    }
    list.add(new TextPart(counted, text));
    if (page.holdsTooMuch()) {
      tooMuchHeld();
    }
  }

  /** What attempts hold passes the bound. */
  private void tooMuchHeld() {
    Try attempted = elements.attempted();
    if (!isWhole && attempted != null) {
      attempted.tooLarge();
      page.changed(this);
    } else if (isWhole || !elements.isStreaming()) {
      fail("is more than esi.fragment allows to hold");
    }
  }

  private static String noRoom() {
    return "finds no room: limits.private-copies is reached";
  }

  /** Where what is added now is counted. */
  private HeldBytes counted() {
    return isWhole || !elements.isStreaming() ? page.undecided() : held;
  }
}
