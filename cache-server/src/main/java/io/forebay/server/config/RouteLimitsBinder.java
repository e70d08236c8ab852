package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Binds the limits and timeouts of routes. Those on clients can only be stricter than the node's.
 */
final class RouteLimitsBinder extends Binder {
  private final LimitsConfig limits;
  private final TimeoutsConfig timeouts;

  RouteLimitsBinder(
      ConfigValues values,
      List<ConfigProblem> problems,
      Map<String, String> sources,
      LimitsConfig limits,
      TimeoutsConfig timeouts) {
    super(values, problems, sources);
    this.limits = limits;
    this.timeouts = timeouts;
  }

  RouteLimits ofRoute(String scope) {
    Long body = value(scope, ConfigKeys.ROUTE_LIMIT_BODY);
    if (body != null && body > limits.requestBodyBytes()) {
      refuse(scope, ConfigKeys.ROUTE_LIMIT_BODY, "more than", ConfigKeys.LIMIT_REQUEST_BODY, body);
    }
    Integer rate = value(scope, ConfigKeys.ROUTE_LIMIT_BODY_RATE);
    if (rate != null && rate < limits.client().requestBodyRate()) {
      refuse(
          scope,
          ConfigKeys.ROUTE_LIMIT_BODY_RATE,
          "less than",
          ConfigKeys.LIMIT_REQUEST_BODY_RATE,
          rate);
    }
    return new RouteLimits(
        body,
        rate,
        time(
            scope,
            ConfigKeys.ROUTE_BODY_IDLE,
            ConfigKeys.TIMEOUT_REQUEST_BODY_IDLE,
            timeouts.requestBodyIdle()),
        time(
            scope,
            ConfigKeys.ROUTE_REQUEST_TOTAL,
            ConfigKeys.TIMEOUT_REQUEST_TOTAL,
            timeouts.requestTotal()),
        time(
            scope,
            ConfigKeys.ROUTE_NO_PROGRESS,
            ConfigKeys.TIMEOUT_NO_PROGRESS,
            timeouts.noProgress()),
        time(
            scope,
            ConfigKeys.ROUTE_KEEP_ALIVE,
            ConfigKeys.TIMEOUT_KEEP_ALIVE,
            timeouts.keepAlive()),
        new OriginTimeouts(
            value(scope, ConfigKeys.ROUTE_FIRST_BYTE),
            value(scope, ConfigKeys.ROUTE_ORIGIN_IDLE),
            value(scope, ConfigKeys.ROUTE_ORIGIN_TOTAL)));
  }

  private @Nullable Duration time(
      String scope, Field<?, Duration> field, Field<?, Duration> ofNode, Duration most) {
    Duration time = value(scope, field);
    if (time != null && time.compareTo(most) > 0) {
      refuse(scope, field, "more than", ofNode, time);
    }
    return time;
  }

  private <T> void refuse(
      String scope, Field<?, T> field, String relation, Field<?, T> ofNode, T value) {
    String path = scope + "." + field.name();
    Raw raw = values.get(path);
    if (raw == null) {
      return;
    }
    String section = field.name().substring(0, field.name().indexOf('.'));
    String node = section + "." + ofNode.name();
    problems.add(
        raw.place()
            .problem(
                path,
                field.type().printer().apply(value)
                    + " is "
                    + relation
                    + " "
                    + node
                    + ", which holds for all routes",
                "change " + node + ", or this"));
  }
}
