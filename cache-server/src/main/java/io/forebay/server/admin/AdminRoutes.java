package io.forebay.server.admin;

import io.forebay.server.json.AdminError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The paths of the admin API: which methods each takes, and what it does. */
final class AdminRoutes {
  private static final Pattern PARAMETER = Pattern.compile("\\{([a-z]+)}");

  private final List<Route> all = new ArrayList<>();
  private final Map<String, Route> exact = new HashMap<>();

  /**
   * One of them.
   *
   * @param path with parameters in braces: {@code {name}} is a name, all others are numbers
   */
  record Route(String path, Pattern pattern, List<String> methods, Action action) {}

  /** A route with the values of the parameters in its path. */
  record Match(Route route, List<String> parameters) {}

  /** A request that may have its answer. */
  record Request(
      AdminExchange exchange, String method, boolean isTrusted, List<String> parameters) {

    String parameter(int index) {
      return parameters.get(index);
    }

    long number(int index) {
      return Long.parseLong(parameters.get(index));
    }
  }

  interface Action {
    AdminReply reply(Request request) throws AdminError, IOException;
  }

  AdminRoutes get(String path, Action action) {
    return add(path, List.of("GET"), action);
  }

  AdminRoutes post(String path, Action action) {
    return add(path, List.of("POST"), action);
  }

  AdminRoutes add(String path, List<String> methods, Action action) {
    Route route = new Route(path, pattern(path), methods, action);
    all.add(route);
    if (!path.contains("{")) {
      exact.put(path, route);
    }
    return this;
  }

  private static Pattern pattern(String path) {
    StringBuilder pattern = new StringBuilder();
    Matcher parameter = PARAMETER.matcher(path);
    int end = 0;
    while (parameter.find()) {
      pattern
          .append(Pattern.quote(path.substring(end, parameter.start())))
          .append(parameter.group(1).equals("name") ? "([A-Za-z0-9_-]{1,64})" : "(\\d{1,18})");
      end = parameter.end();
    }
    return Pattern.compile(pattern.append(Pattern.quote(path.substring(end))).toString());
  }

  List<Route> all() {
    return all;
  }

  @Nullable Match find(String path) {
    Route route = exact.get(path);
    if (route != null) {
      return new Match(route, List.of());
    }
    for (Route one : all) {
      Matcher matcher = one.pattern.matcher(path);
      if (matcher.matches()) {
        List<String> parameters = new ArrayList<>();
        for (int i = 1; i <= matcher.groupCount(); i++) {
          parameters.add(matcher.group(i));
        }
        return new Match(one, parameters);
      }
    }
    return null;
  }
}
