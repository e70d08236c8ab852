package io.forebay.plugin;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What becomes of the request of a client. */
public sealed interface RequestDecision {

  /** It goes on, as if the rule were not there. */
  static Proceed proceed() {
    return Proceed.UNCHANGED;
  }

  /** It is refused with an error page. */
  static Deny deny(int status, String text) {
    return new Deny(status, text);
  }

  /** The client is sent to another URL. */
  static Redirect redirect(int status, String location) {
    return new Redirect(status, location);
  }

  /** The client gets a response that the plugin has made. */
  static Respond respond(int status, String contentType, String text) {
    return new Respond(
        status,
        List.of(new FieldEdits.Line("content-type", contentType)),
        text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The request goes on.
   *
   * @param passes whether it goes to the origin past the store
   * @param passedTo the origin that gets it then, by its name in the configuration
   * @param group one of {@link RequestPhase#groups}
   * @param responseFields changes of whatever the response is
   */
  record Proceed(
      boolean passes, Optional<String> passedTo, Optional<String> group, FieldEdits responseFields)
      implements RequestDecision {
    static final Proceed UNCHANGED =
        new Proceed(false, Optional.empty(), Optional.empty(), FieldEdits.NONE);

    public Proceed {
      responseFields.requireNone(FieldEdits.RESERVED_IN_RESPONSES);
    }

    /** The same past the store. */
    public Proceed pass() {
      return new Proceed(true, passedTo, group, responseFields);
    }

    /** The same past the store, to an origin. */
    public Proceed passTo(String origin) {
      return new Proceed(true, Optional.of(origin), group, responseFields);
    }

    /** The same with stored responses of that group alone. */
    public Proceed inGroup(String name) {
      return new Proceed(passes, passedTo, Optional.of(name), responseFields);
    }

    /** The same with changes of the response. */
    public Proceed withResponseFields(FieldEdits edits) {
      return new Proceed(passes, passedTo, group, edits);
    }
  }

  /**
   * An error.
   *
   * @param status from 400 to 599
   * @param text a line for the client
   */
  record Deny(int status, String text) implements RequestDecision {
    public Deny {
      requireStatus(status, 400, 599);
      FieldEdits.requirePrintable("a text", text);
    }
  }

  /** A redirect with a status of 301, 302, 303, 307 or 308. */
  record Redirect(int status, String location) implements RequestDecision {
    private static final Set<Integer> STATUSES = Set.of(301, 302, 303, 307, 308);

    public Redirect {
      FieldEdits.requirePrintable("a location", location);
      if (!STATUSES.contains(status) || location.isBlank()) {
        throw new IllegalArgumentException(
            "a redirect has a status of 301, 302, 303, 307 or 308, and a location");
      }
    }
  }

  /**
   * A response.
   *
   * @param status from 200 to 599, but 206 and 304
   * @param body at most 1 MiB
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Respond(int status, List<FieldEdits.Line> fields, byte[] body) implements RequestDecision {
    private static final int MAX_BODY = 1 << 20;

    public Respond {
      requireStatus(status, 200, 599);
      fields = List.copyOf(fields);
      new FieldEdits(fields, List.of(), List.of()).requireNone(FieldEdits.RESERVED_IN_RESPONSES);
      if (status == 206 || status == 304 || body.length > MAX_BODY) {
        throw new IllegalArgumentException("not 206, not 304, and at most 1 MiB");
      }
    }
  }

  private static void requireStatus(int status, int from, int to) {
    if (status < from || status > to) {
      throw new IllegalArgumentException("a status from " + from + " to " + to + ", not " + status);
    }
  }
}
