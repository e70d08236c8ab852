package io.forebay.server.fill;

import io.forebay.server.digest.BodyDigest;
import io.forebay.server.digest.DigestAlgorithm;
import io.forebay.server.digest.DigestFields;
import io.forebay.server.digest.DigestLine;
import io.forebay.server.digest.DigestPolicy;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The digests of the body of one fill (RFC 9530): those that the origin sent are compared, and
 * those that the route adds go into the stored head. Where any are compared, the last bytes that
 * have come are held until the body is known to be right: nobody gets all of a wrong body.
 *
 * <p>Owner: the fill's loop.
 */
final class FillDigest {

  /** What became of it. */
  interface Outcome {
    /** The stored head has the digests; the bytes that were held, or null, are the last. */
    void onRight(@Nullable ByteBuf held);

    /** The body has not the digest that its head has. */
    void onWrong(String detail);
  }

  private final List<DigestFields.Expected> expected;
  private final List<DigestAlgorithm> added;
  private final byte[] head;
  private final BodyDigest body;
  private @Nullable ByteBuf held;
  private boolean isSettled;

  private FillDigest(
      List<DigestFields.Expected> expected,
      List<DigestAlgorithm> added,
      byte[] head,
      BodyDigest body) {
    this.expected = expected;
    this.added = added;
    this.head = head;
    this.body = body;
  }

  /** Algorithms whose digests the stored head gets, in {@link DigestLine#reserve room} for them. */
  static List<DigestAlgorithm> addedTo(FillContext loop, FillRequest order, ReceivedHead received) {
    DigestPolicy policy = loop.digesting().policy().apply(order.route());
    if (policy.added().isEmpty() || received.status() != 200 || !isOfGet(order)) {
      return List.of();
    }
    Set<DigestAlgorithm> lacking = EnumSet.copyOf(policy.added());
    for (DigestFields.Expected sent :
        DigestFields.of(received.fields(), DigestFields.OF_REPRESENTATION)) {
      lacking.remove(sent.algorithm());
    }
    return List.copyOf(lacking);
  }

  /**
   * Those of a body that is about to come; null where there is nothing to do.
   *
   * @param onCaughtUp told when the body need not be paused any more
   */
  static @Nullable FillDigest of(
      FillContext loop,
      FillRequest order,
      ReceivedHead received,
      StorableHead.Made made,
      Runnable onCaughtUp) {
    List<DigestFields.Expected> expected = new ArrayList<>();
    if (loop.digesting().policy().apply(order.route()).verifies()) {
      expected.addAll(DigestFields.of(received.fields(), DigestFields.OF_CONTENT));
      if (received.status() == 200 && isOfGet(order)) {
        // The content is the representation.
        expected.addAll(DigestFields.of(received.fields(), DigestFields.OF_REPRESENTATION));
      }
    }
    Set<DigestAlgorithm> algorithms = EnumSet.noneOf(DigestAlgorithm.class);
    expected.forEach(sent -> algorithms.add(sent.algorithm()));
    algorithms.addAll(made.addedDigests());
    return algorithms.isEmpty()
        ? null
        : new FillDigest(
            List.copyOf(expected),
            made.addedDigests(),
            made.spec().head(),
            new BodyDigest(algorithms, loop.digesting().pool(), loop.eventLoop(), onCaughtUp));
  }

  /** To other methods the response need not be a representation of what the URL names. */
  private static boolean isOfGet(FillRequest order) {
    return order.request().contentDigest() == null;
  }

  /** The next bytes of the body, in whose place the bytes before them may go on; or null. */
  @Nullable ByteBuf add(ByteBuf data) {
    body.add(data.retainedDuplicate());
    if (expected.isEmpty()) {
      return data;
    }
    ByteBuf before = held;
    held = data;
    return before;
  }

  boolean isBehind() {
    return body.isBehind();
  }

  boolean isSettled() {
    return isSettled;
  }

  /** The body is whole. */
  void settle(Outcome outcome) {
    body.end(digests -> {
      isSettled = true;
      String wrong = wrong(digests);
      if (wrong == null) {
        if (!added.isEmpty()) {
          DigestLine.write(head, digests, added);
        }
        outcome.onRight(takeHeld());
      } else {
        outcome.onWrong(wrong);
      }
    });
  }

  private @Nullable String wrong(Map<DigestAlgorithm, byte[]> digests) {
    for (DigestFields.Expected sent : expected) {
      byte[] digest = digests.get(sent.algorithm());
      if (digest == null || !ByteBuffer.wrap(digest).equals(sent.value())) {
        return "the body does not have the " + sent.algorithm().key() + " of its " + sent.field();
      }
    }
    return null;
  }

  /** The bytes that were held, which are the caller's; or null. */
  @Nullable ByteBuf takeHeld() {
    ByteBuf last = held;
    held = null;
    return last;
  }

  /** Nothing of the body is wanted any more. */
  void cancel() {
    body.cancel();
    ByteBuf last = takeHeld();
    if (last != null) {
      last.release();
    }
  }
}
