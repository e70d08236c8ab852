package io.forebay.cli.expect;

import io.forebay.cli.expect.Expectation.Asked;
import io.forebay.cli.expect.Expectation.FieldMatch;
import io.forebay.cli.expect.Expectation.Value;
import io.forebay.cli.expect.ScriptReport.Mismatch;
import io.forebay.server.config.SourceLocation;
import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Compares what came out of a step with what is expected. */
final class StepChecker {
  private static final int MAX_SHOWN = 300;
  private static final String NONE = "(none)";

  private final Step step;
  private final List<Mismatch> mismatches = new ArrayList<>();

  StepChecker(Step step) {
    this.step = step;
  }

  List<Mismatch> mismatches() {
    return mismatches;
  }

  /** Something went wrong that nobody can expect. */
  void fail(SourceLocation place, String what, String expected, String came) {
    mismatches.add(Mismatch.at(place, what, expected, came));
  }

  /** StepChecker a response. */
  void response(ScriptClient.Reply reply, JsonNode log) {
    Expectation expected = step.expected();
    String broken = reply.broken();
    if (expected.breaksOff() != (broken != null)) {
      fail(
          step.place(),
          "breaks-off",
          expected.breaksOff() ? "a response that breaks off" : "a whole response",
          broken == null ? "a whole response" : broken);
    }
    Value<Integer> status = expected.status();
    if (status != null && status.value() != reply.status()) {
      fail(
          status.place(), "status", String.valueOf(status.value()), reply.status() + decision(log));
    }
    for (FieldMatch match : expected.headers()) {
      field("headers." + match.name(), match, reply.fields());
    }
    for (Value<String> name : expected.absent()) {
      absent("absent", name, reply.fields());
    }
    text("body", expected.body(), reply.body());
    Value<Integer> size = expected.size();
    if (size != null && size.value() != reply.size()) {
      fail(size.place(), "size", size.value() + " bytes", reply.size() + " bytes");
    }
    TextMatch redirect = expected.redirect();
    if (redirect != null) {
      String location = HeaderLine.first(reply.fields(), "location");
      if (reply.status() / 100 != 3 || !redirect.matches(location)) {
        fail(
            redirect.place(),
            "redirect",
            redirect.shown(),
            reply.status() + (location.isEmpty() ? ", no Location" : " " + shown(location)));
      }
    }
    word(expected.cache(), "cache", log, decision(log));
    word(expected.reason(), "reason", log, "");
    Value<String> route = expected.route();
    if (route != null && !route.value().equals(log.path("route").asString(""))) {
      String came = log.path("route").asString("");
      fail(route.place(), "route", route.value(), came.isEmpty() ? NONE : came);
    }
  }

  private static String decision(JsonNode log) {
    String reason = log.path("reason").asString("");
    return reason.isEmpty() ? "" : " (" + reason + ")";
  }

  private void word(
      @Nullable Value<List<String>> expected, String key, JsonNode log, String detail) {
    String came = log.path(key).asString("");
    if (expected != null && !expected.value().contains(came)) {
      fail(
          expected.place(),
          key,
          String.join(" or ", expected.value()),
          (came.isEmpty() ? NONE : came) + detail);
    }
  }

  private void field(String what, FieldMatch match, List<HeaderLine> fields) {
    if (!matches(match, fields)) {
      fail(match.match().place(), what, shown(match.match().shown()), shown(fields, match.name()));
    }
  }

  /** One of the lines, or all of them joined. */
  private static boolean matches(FieldMatch match, List<HeaderLine> fields) {
    List<String> values = HeaderLine.values(fields, match.name());
    return values.stream().anyMatch(match.match()::matches)
        || (values.size() > 1 && match.match().matches(String.join(", ", values)));
  }

  private static String shown(List<HeaderLine> fields, String name) {
    List<String> values = HeaderLine.values(fields, name);
    return values.isEmpty() ? NONE : shown(String.join(", ", values));
  }

  private void absent(String what, Value<String> name, List<HeaderLine> fields) {
    if (HeaderLine.isIn(fields, name.value())) {
      fail(
          name.place(),
          what,
          "no " + name.value(),
          name.value() + ": " + shown(fields, name.value()));
    }
  }

  private void text(String what, @Nullable TextMatch match, String came) {
    if (match == null || match.matches(came)) {
      return;
    }
    String difference = "";
    if (match.kind() == TextMatch.Kind.EXACT
        && Math.max(match.text().length(), came.length()) > 40) {
      int at = 0;
      while (at < Math.min(match.text().length(), came.length())
          && match.text().charAt(at) == came.charAt(at)) {
        at++;
      }
      difference = " (differs from character " + (at + 1) + " on)";
    }
    fail(match.place(), what, shown(match.shown()), shown(came) + difference);
  }

  private static String shown(String text) {
    return text.isEmpty() ? "(empty)" : Printable.shown(text.replace("\n", "\\n"), MAX_SHOWN);
  }

  /** StepChecker what origins were asked in all of the step. */
  void asked(List<ReceivedRequest> requests, List<ReceivedRequest> unanswered) {
    for (ReceivedRequest request : unanswered) {
      fail(
          step.place(),
          "origin",
          "an answer of origin " + request.origin() + " in the script",
          "it was asked: " + shown(request.shown()));
    }
    Value<List<Asked>> expected = step.expected().asked();
    if (expected == null) {
      return;
    }
    for (Asked one : expected.value()) {
      long count = requests.stream().filter(request -> matches(one, request)).count();
      if (count != one.times()) {
        fail(one.place(), "asked", shown(one), shown(requests, one));
      }
    }
    List<ReceivedRequest> others =
        requests.stream()
            .filter(request -> expected.value().stream().noneMatch(one -> matches(one, request)))
            .toList();
    // Where an expectation failed, they are told of there.
    boolean isTold = mismatches.stream().anyMatch(mismatch -> mismatch.what().equals("asked"));
    if (!others.isEmpty() && !isTold) {
      fail(
          expected.place(),
          "asked",
          expected.value().isEmpty() ? "none" : "nothing else",
          shown(others, null));
    }
  }

  private static boolean matches(Asked expected, ReceivedRequest request) {
    TextMatch path = expected.path();
    TextMatch body = expected.body();
    return (expected.origin() == null || expected.origin().equals(request.origin()))
        && (expected.server() == 0 || expected.server() == request.server())
        && (expected.method() == null || expected.method().equals(request.method()))
        && (path == null || path.matches(request.target()))
        && (body == null || body.matches(request.body()))
        && expected.headers().stream().allMatch(match -> matches(match, request.fields()))
        && expected.absent().stream()
            .noneMatch(name -> HeaderLine.isIn(request.fields(), name.value()));
  }

  private static String shown(Asked expected) {
    StringBuilder text = new StringBuilder();
    text.append(expected.origin() == null ? "any origin" : expected.origin());
    if (expected.server() > 0) {
      text.append('/').append(expected.server());
    }
    if (expected.method() != null) {
      text.append(' ').append(expected.method());
    }
    TextMatch path = expected.path();
    if (path != null) {
      text.append(' ').append(path.shown());
    }
    for (FieldMatch match : expected.headers()) {
      text.append(", ").append(match.name()).append(": ").append(match.match().shown());
    }
    for (Value<String> name : expected.absent()) {
      text.append(", no ").append(name.value());
    }
    TextMatch body = expected.body();
    if (body != null) {
      text.append(", body: ").append(body.shown());
    }
    return shown(text.append(", ").append(times(expected.times())).toString());
  }

  private static String times(int count) {
    return switch (count) {
      case 0 -> "not at all";
      case 1 -> "once";
      default -> count + " times";
    };
  }

  /** The requests, each with those fields that an expectation names. */
  private static String shown(List<ReceivedRequest> requests, @Nullable Asked expected) {
    if (requests.isEmpty()) {
      return "none";
    }
    String text =
        requests.stream()
            .limit(10)
            .map(request -> {
              StringBuilder one = new StringBuilder(request.shown());
              if (expected != null) {
                for (FieldMatch match : expected.headers()) {
                  one.append(", ").append(match.name()).append(": ");
                  one.append(shown(request.fields(), match.name()));
                }
                for (Value<String> name : expected.absent()) {
                  if (HeaderLine.isIn(request.fields(), name.value())) {
                    one.append(", ").append(name.value()).append(": ");
                    one.append(shown(request.fields(), name.value()));
                  }
                }
              }
              return one.toString();
            })
            .collect(Collectors.joining("; "));
    return shown(requests.size() > 10 ? text + "; and more" : text);
  }
}
