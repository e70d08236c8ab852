package io.forebay.server;

import io.forebay.server.RfcModel.Answer;
import io.forebay.server.RfcModel.Origin;
import io.forebay.server.RfcModel.Request;
import io.forebay.server.RfcModel.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is allowed of requests for one URL that are under way at once, while the origin holds its
 * answers: what some order of the same requests one after the other would have been answered, with
 * the event among them where it was, and no more questions to the origin than in that order.
 *
 * <pre>
 *   asked before   A ─────────────────────────────┐  may count as before the event, or after it
 *                    B ───────────────────────────┤  (it asked the origin once more then)
 *   event                 purged, changed, left   │
 *   asked after               C ──────────────────┤  never counts as before the event
 *                                    the origin lets go
 * </pre>
 *
 * <p>Which order it was nobody can tell from outside, so all that explain what was seen are gone on
 * with: later requests show which of them it can have been. By itself this would let one client be
 * sent what was fetched for another and was for that one alone, since both would have been answered
 * the same; so the origin numbers its answers, and two clients may only have one of them where a
 * stored one could have answered both ({@link #foreign}).
 */
final class Overlap {

  /** One of the requests; null for an answer that its client has not waited for. */
  record Seen(Request request, @Nullable Answer answer, boolean isAfter, int number) {
    boolean isGone() {
      return answer == null;
    }
  }

  /** An answer of the origin by its number. */
  record Told(Request asked, Response response) {}

  /** What happened in the middle of them. */
  interface Event {
    /** Whether the cache is told of it: nothing that was asked for before may be stored then. */
    boolean isKnown();

    /** What the model is like then; nothing if it would not be as it was seen. */
    List<RfcModel> happensTo(RfcModel model);
  }

  private final List<Seen> all;
  private final Map<Integer, Told> told;
  private final Event event;
  private final Origin before;
  private final Origin after;
  private final long now;
  private final int questions;

  private final String path;

  /** What is asked for as a variant of its own may turn out to be one response for all. */
  private final int unvaried;

  /** Whether it is known that what one of them asks for can't be shared. */
  private boolean isAlone;

  private final Map<String, RfcModel> explanations = new HashMap<>();

  /**
   * What was seen.
   *
   * @param told what the origin said to them; other numbers are of what was stored before
   * @param before the origin as it was up to the event
   * @param after the origin from then on
   * @param questions how often it was asked in all, but for the event
   */
  Overlap(
      List<Seen> all,
      Map<Integer, Told> told,
      Event event,
      Origin before,
      Origin after,
      long now,
      int questions) {
    this.all = all;
    this.told = Map.copyOf(told);
    this.event = event;
    this.before = before;
    this.after = after;
    this.now = now;
    this.questions = questions;
    this.path = all.getFirst().request().path();
    this.unvaried = (int) all.stream().map(Overlap::selection).distinct().count() - 1;
  }

  /**
   * How often the origin may have been asked: as in this order. But requests that waited for a
   * response that cannot be shared ask separately and in parallel; twice, if a validation confirms
   * a response that cannot be kept.
   */
  private int mostQuestions(Point at) {
    int asInOrder = at.asked() + unvaried;
    List<Told> toGets =
        told.values().stream().filter(one -> one.asked().method().equals("GET")).toList();
    boolean isShared =
        toGets.stream()
            .allMatch(one -> at.model().mayShare(one.asked(), one.response(), one.asked(), now));
    long confirmed = toGets.stream().filter(one -> one.response().status() == 304).count();
    return isShared && !isAlone ? asInOrder : Math.max(asInOrder, all.size() + (int) confirmed);
  }

  /** What requests are told apart by. */
  private static List<String> selection(Seen seen) {
    return Stream.of("x-a", "x-b").map(name -> String.valueOf(seen.request().field(name))).toList();
  }

  /** One of the requests, or what is left of it after the answer to its first question. */
  private record Ask(Seen seen, boolean isRest, boolean isPlain) {
    Answer of(RfcModel model, Origin origin, long now) {
      return isRest
          ? model.answerRest(seen.request(), origin, now, isPlain)
          : model.answer(seen.request(), origin, now);
    }
  }

  /** Thrown at a request that asks once more. */
  private static final class AsksAgainException extends RuntimeException {
    private static final long serialVersionUID = 1;

    AsksAgainException() {
      super(null, null, false, false);
    }
  }

  /** How far an order has come. */
  private record Point(RfcModel model, List<Ask> left, boolean isAfter, int asked) {
    Point with(RfcModel next, List<Ask> rest, int more) {
      return new Point(next, rest, isAfter, asked + more);
    }
  }

  /** What the cache can be like now; empty if nothing explains what was seen. */
  List<RfcModel> explain(List<RfcModel> models) {
    for (RfcModel model : models) {
      seenPlaces.clear();
      isAlone = all.stream().anyMatch(seen -> model.asksAlone(seen.request(), now));
      List<Ask> asks = all.stream().map(seen -> new Ask(seen, false, false)).toList();
      go(new Point(model, asks, false, 0), model);
    }
    return List.copyOf(explanations.values());
  }

  /** Where the search has been: different beginnings of an order often come to the same. */
  private record Place(String memory, List<Ask> left, boolean isAfter, int asked) {}

  private final Set<Place> seenPlaces = new HashSet<>();

  /** Takes each step that can be the next one. */
  private void go(Point at, RfcModel first) {
    String memory = at.model().memory() + at.model().learnedSince(first);
    if (!seenPlaces.add(new Place(memory, at.left(), at.isAfter(), at.asked()))) {
      return;
    }
    List<String> due = at.model().dueRefreshes();
    if (at.left().isEmpty() && due.isEmpty() && at.isAfter()) {
      if (questions <= mostQuestions(at)) {
        // Which of several that come at once stays is up to the moment, and so is whether one finds
        // another stored that has just come.
        for (RfcModel last : at.model().withAnyLastWord(first)) {
          for (RfcModel end : last.withAnyPartOf(path)) {
            explanations.putIfAbsent(end.memory(), end);
          }
        }
      }
      return;
    }
    if (!at.isAfter()) {
      for (RfcModel next : event.happensTo(at.model())) {
        go(new Point(next, at.left(), true, at.asked()), first);
      }
    }
    for (String key : due) {
      for (Origin here : origins(at, true)) {
        RfcModel next = at.model().copy();
        Counting origin = new Counting(here, Integer.MAX_VALUE);
        next.refresh(key, origin, now);
        go(at.with(next, at.left(), origin.asked), first);
      }
    }
    for (Ask ask : at.left()) {
      if (at.isAfter() || !ask.seen().isAfter()) {
        List<Ask> rest = new ArrayList<>(at.left());
        rest.remove(ask);
        // The failure of a fetch under way is that of everyone who waits for it.
        for (Origin here : origins(at, !ask.seen().isAfter() || hasFailed())) {
          take(ask, at, rest, here, first);
        }
      }
    }
  }

  /**
   * Whom a question was put to. What was asked before a change that nobody told of may come after
   * what was found in the store meanwhile.
   */
  private List<Origin> origins(Point at, boolean wasAskedBefore) {
    if (!at.isAfter()) {
      return List.of(before);
    }
    return wasAskedBefore && !event.isKnown() ? List.of(after, before) : List.of(after);
  }

  private void take(Ask ask, Point at, List<Ask> rest, Origin here, RfcModel first) {
    Seen seen = ask.seen();
    answer(ask, at, rest, here, first, at.model().copy());
    if (!at.model().expectsAs(first)) {
      // It was looked for before the others had their answers.
      answer(ask, at, rest, here, first, at.model().copyExpectingAs(first));
    }
    if (!ask.isRest() && at.model().hasPlainSince(first, seen.request())) {
      // Its variant was looked for before it turned out that there is one response for all.
      RfcModel next = at.model().copy();
      Counting origin = new Counting(here, Integer.MAX_VALUE);
      Answer answer = next.answerApart(seen.request(), origin, now, first);
      if (seen.isGone() || isSame(answer, seen.answer())) {
        go(at.with(next, rest, origin.asked), first);
      }
    }
    boolean mayHaveLookedBefore = !event.isKnown() || !first.hasStored(seen.request());
    if (!ask.isRest()
        && told.containsKey(seen.number())
        && mayHaveLookedBefore
        && at.model().isChangedSince(first, seen.request())) {
      // It found nothing of what the others brought, which it could not have shared, and the origin
      // answered it for itself.
      RfcModel next = at.model().copy();
      Counting origin = new Counting(here, Integer.MAX_VALUE);
      Answer answer = next.answerBeside(seen.request(), origin, now, first);
      if (origin.asked > 0 && isSame(answer, seen.answer())) {
        go(at.with(next, rest, origin.asked), first);
      }
    }
    Request unwishing = seen.request().without("cache-control", "pragma");
    boolean mayBeOfNow = seen.number() == 0 || told.containsKey(seen.number());
    if (mayBeOfNow && !unwishing.equals(seen.request())) {
      // A client that wants nothing from the store may have what comes from the origin now.
      Seen content = new Seen(unwishing, seen.answer(), seen.isAfter(), seen.number());
      answer(
          new Ask(content, ask.isRest(), ask.isPlain()), at, rest, here, first, at.model().copy());
    }
    if (event.isKnown() && !at.isAfter() && !ask.isRest()) {
      // What was asked about may be gone when it is confirmed: it is asked for as a whole then.
      List<Ask> more = new ArrayList<>(rest);
      more.add(new Ask(seen, true, true));
      go(at.with(at.model(), more, 1), first);
    }
    if (!ask.isRest()
        && !seen.isGone()
        && at.model().isReplacedSince(first, seen.request())
        && isConfirmed(seen.request(), here, first)) {
      // It had confirmed what was stored before the others had their answers, and one of these has
      // replaced it meanwhile. A 304 may go unused where the response is fetched as a whole.
      List<Ask> more = new ArrayList<>(rest);
      more.add(new Ask(seen, true, true));
      go(at.with(at.model(), more, 1), first);
    }
    if (seen.isGone()) {
      // Nobody was there any more who would have waited: the fetch may have ended with its client,
      // at any moment after the origin was asked, or have been finished.
      go(at.with(at.model(), rest, 1), first);
    } else if (at.model().unstorable() > first.unstorable() || event.isKnown() || hasFailed()) {
      // A request that waited for a response for another client only bypasses the store instead of
      // starting again, so that none waits a second time. A response overtaken by a purge can be
      // such. And a request that found nothing to serve instead of a failure gets the failure.
      if (isSame(RfcModel.pass(seen.request(), here), seen.answer())) {
        go(at.with(at.model(), rest, 1), first);
      }
      // What could have stood in for a failure of the origin is gone: an error of our own is left.
      Answer answered = seen.answer();
      boolean isOurError = answered != null && seen.number() == 0 && answered.status() == 502;
      boolean isGone = event.isKnown() || at.model().isChangedSince(first, seen.request());
      if (isGone && hasFailed() && isOurError) {
        go(at.with(at.model(), rest, 1), first);
      }
    }
  }

  /** Whether the first answer to a request that looks now is a 304. */
  private boolean isConfirmed(Request request, Origin here, RfcModel model) {
    List<Integer> statuses = new ArrayList<>();
    Answer ignored =
        model
            .copy()
            .answer(
                request,
                sent -> {
                  Response response = here.answer(sent);
                  statuses.add(response.status());
                  return response;
                },
                now);
    return !statuses.isEmpty() && statuses.getFirst() == 304;
  }

  private boolean hasFailed() {
    return told.values().stream().anyMatch(answer -> answer.response().status() >= 500);
  }

  private void answer(
      Ask ask, Point at, List<Ask> rest, Origin here, RfcModel first, RfcModel next) {
    Seen seen = ask.seen();
    RfcModel between = next.copy();
    Counting origin = new Counting(here, Integer.MAX_VALUE);
    Answer answer = ask.of(next, origin, now);
    if (seen.isGone() || isSame(answer, seen.answer())) {
      go(at.with(next, rest, origin.asked), first);
      // A request served from another one's fetch starts no refresh of that response; nor does one
      // that is served a stale response while another one's fetch is under way.
      boolean mayJoin = told.containsKey(seen.number()) || at.asked() > 0;
      if (mayJoin && !next.dueRefreshes().isEmpty()) {
        RfcModel idle = next.copy();
        idle.forgetRefreshes(at.model().dueRefreshes());
        go(at.with(idle, rest, origin.asked), first);
      }
    }
    if (origin.asked > 1 && !ask.isRest()) {
      // Between its questions anything can happen.
      Counting once = new Counting(here, 1);
      try {
        Answer ignored = ask.of(between, once, now);
      } catch (AsksAgainException e) {
        for (boolean isPlain : new boolean[] {true, false}) {
          List<Ask> more = new ArrayList<>(rest);
          more.add(new Ask(seen, true, isPlain));
          go(at.with(between, more, 1), first);
        }
      }
    }
  }

  /** Counts the questions; ends a request that asks too often. */
  private static final class Counting implements Origin {
    private final Origin origin;
    private final int limit;
    private int asked;

    Counting(Origin origin, int limit) {
      this.origin = origin;
      this.limit = limit;
    }

    @Override
    public Response answer(Request request) {
      if (asked == limit) {
        throw new AsksAgainException();
      }
      asked++;
      return origin.answer(request);
    }
  }

  /** An answer that has just been fetched by another request has no Age, or one of 0. */
  private static boolean isSame(Answer one, @Nullable Answer other) {
    return other != null && ageless(one).equals(ageless(other));
  }

  private static Answer ageless(Answer answer) {
    return new Answer(
        answer.status(), answer.body(), Math.max(0, answer.ageSeconds()), answer.contentRange());
  }

  /** Who was sent what was for another alone, or null. */
  @Nullable String foreign(RfcModel model) {
    Set<Integer> taken = new HashSet<>();
    // Two who had the same confirmed, each for himself, may both be sent what the later one left.
    long confirmed =
        told.values().stream().filter(answer -> answer.response().status() == 304).count();
    // Whose own question failed may be sent what is stored instead, though it is stale.
    long failed = told.values().stream().filter(one -> one.response().status() >= 500).count();
    for (Seen seen : all) {
      Told answer = told.get(seen.number());
      if (answer == null) {
        continue;
      }
      boolean isConfirmation = answer.response().status() == 304;
      // A 304 need not repeat the lifetime that the response has which it confirms (4.3.4).
      Response shared =
          isConfirmation ? model.confirmedBy(answer.asked(), answer.response()) : answer.response();
      if (model.mayShare(answer.asked(), shared, seen.request(), now)) {
        continue;
      }
      // One of those who have it may be the one who asked for it.
      boolean isOwn = isConfirmation ? confirmed-- > 0 : taken.add(seen.number());
      if (!isOwn && failed-- <= 0) {
        return seen + " was sent " + answer;
      }
    }
    return null;
  }
}
