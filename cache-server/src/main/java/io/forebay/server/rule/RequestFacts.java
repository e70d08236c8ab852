package io.forebay.server.rule;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.Latin1Text;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.WireRequest;
import io.forebay.server.geo.GeoLocation;
import io.forebay.server.geo.GeoLocator;
import io.forebay.server.network.IpAddress;
import io.forebay.server.network.NetworkSet;
import io.forebay.server.rule.expression.EvaluationException;
import io.forebay.server.rule.expression.StepBudget;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One request as conditions see it. In the fast lane it is a flyweight that allocates nothing, and
 * a condition that would have to answers {@link Condition#LATER}. Confined to one thread, reused
 * for one request after the other.
 */
public final class RequestFacts {
  private final Latin1Text line = new Latin1Text();
  private final Latin1Text another = new Latin1Text();
  private @Nullable RequestView view;
  private @Nullable WireRequest wire;
  private @Nullable RuleClient client;
  private @Nullable IpAddress address;
  private boolean isAddressKnown;
  private long nowMillis;
  private String route = "";
  private final StepBudget steps = new StepBudget();
  private @Nullable EvaluationException failure;

  /**
   * From now on the facts of that request.
   *
   * @param clientAddress the address of the client, or null where it is not known
   */
  public RequestFacts of(
      RequestView request,
      RuleClient ruleClient,
      @Nullable IpAddress clientAddress,
      long atMillis) {
    view = request;
    wire = null;
    steps.renew();
    client = ruleClient;
    address = clientAddress;
    isAddressKnown = true;
    nowMillis = atMillis;
    return this;
  }

  /**
   * The same for a request of the fast lane.
   *
   * @param clientAddress the address of the client, or null where only an exchange can tell
   */
  public RequestFacts ofFastLane(
      WireRequest request,
      RuleClient ruleClient,
      @Nullable IpAddress clientAddress,
      long atMillis) {
    view = request;
    wire = request;
    client = ruleClient;
    address = clientAddress;
    isAddressKnown = clientAddress != null;
    nowMillis = atMillis;
    return this;
  }

  /** The same on a route. */
  public RequestFacts on(String routeName) {
    route = routeName;
    return this;
  }

  public RequestView view() {
    return Objects.requireNonNull(view);
  }

  public RuleClient client() {
    return Objects.requireNonNull(client);
  }

  /** Name of the route; empty in the fast lane. */
  public String route() {
    return route;
  }

  boolean isFast() {
    return wire != null;
  }

  public long nowMillis() {
    return nowMillis;
  }

  /** The client's address as text; empty where it is not known. */
  public String clientText() {
    IpAddress known = address;
    return known == null || known.equals(IpAddress.UNKNOWN)
        ? ""
        : IpAddress.text(known.hi(), known.lo());
  }

  /** An expression has no value for the request: what {@link Condition#FAILED} comes from. */
  int failed(EvaluationException why) {
    failure = why;
    return Condition.FAILED;
  }

  /** What expressions may take for this request. */
  StepBudget steps() {
    return steps;
  }

  EvaluationException failure() {
    return Objects.requireNonNull(failure);
  }

  CharSequence path() {
    return view().pathText();
  }

  @Nullable CharSequence query() {
    return view().queryText();
  }

  /** Whether the address of the client is known, or known to be unknown, already here. */
  boolean isAddressKnown() {
    return isAddressKnown;
  }

  @Nullable IpAddress address() {
    return address;
  }

  /** A line of a field, valid until the next one is asked for; null where there are fewer. */
  @Nullable CharSequence line(String lowerCaseName, int index) {
    WireRequest fast = wire;
    if (fast == null) {
      List<String> lines = view().fields().all(lowerCaseName);
      return index < lines.size() ? lines.get(index) : null;
    }
    int at = WireRequest.FIRST_FIELD;
    for (int i = 0; i <= index && at >= 0; i++) {
      at = fast.nextField(lowerCaseName, at, line);
    }
    return at < 0 ? null : line;
  }

  /** Whether one line of the field passes the test. */
  int anyLine(String lowerCaseName, TextMatcher test) {
    WireRequest fast = wire;
    if (fast == null) {
      FieldsView fields = view().fields();
      for (String value : fields.all(lowerCaseName)) {
        if (test.test(value, 0, value.length(), false) == Condition.YES) {
          return Condition.YES;
        }
      }
      return Condition.NO;
    }
    int found = Condition.NO;
    int at = fast.nextField(lowerCaseName, WireRequest.FIRST_FIELD, line);
    while (at >= 0) {
      int verdict = test.test(line, 0, line.length(), true);
      if (verdict == Condition.YES) {
        return verdict;
      }
      found = Math.max(found, verdict);
      at = fast.nextField(lowerCaseName, at, line);
    }
    return found;
  }

  /**
   * The value of a field that has one line; null for none or several. Valid until the next call.
   */
  @Nullable CharSequence onlyLine(String lowerCaseName) {
    WireRequest fast = wire;
    if (fast == null) {
      List<String> lines = view().fields().all(lowerCaseName);
      return lines.size() == 1 ? lines.getFirst() : null;
    }
    int at = fast.nextField(lowerCaseName, WireRequest.FIRST_FIELD, line);
    return at >= 0 && fast.nextField(lowerCaseName, at, another) < 0 ? line : null;
  }

  /** Whether the client's address is in a set. */
  int isIn(NetworkSet set) {
    if (!isAddressKnown) {
      return Condition.LATER;
    }
    IpAddress known = address;
    return known != null && !known.equals(IpAddress.UNKNOWN) && set.contains(known)
        ? Condition.YES
        : Condition.NO;
  }

  /** Whether that is true of the place of the client; in the fast lane if it is remembered. */
  int isAt(GeoLocator locator, Predicate<GeoLocation> test) {
    if (!isAddressKnown) {
      return Condition.LATER;
    }
    IpAddress known = address;
    if (known == null || known.equals(IpAddress.UNKNOWN)) {
      return Condition.NO;
    }
    GeoLocation location = locator.known(known);
    if (location == null) {
      if (isFast()) {
        return Condition.LATER;
      }
      location = locator.locate(known);
    }
    return test.test(location) ? Condition.YES : Condition.NO;
  }
}
