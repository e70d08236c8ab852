package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads what is configured of logs. */
final class LogBinder extends Binder {
  private static final String ACCESS_LOG = LogKeys.ACCESS_LOG.prefix();

  private static final String AUDIT = LogKeys.AUDIT.prefix();

  /** Fields of requests that have addresses of clients. */
  private static final Set<String> ADDRESS_FIELDS =
      Set.of(
          "x-forwarded-for",
          "forwarded",
          "x-real-ip",
          "true-client-ip",
          "cf-connecting-ip",
          "fastly-client-ip",
          "x-client-ip",
          "x-cluster-client-ip");

  LogBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  AccessLogConfig accessLog(List<RouteConfig> routes, LogSampling sampling) {
    LogConfig.Lines lines = lines();
    if (lines.truncatesClients()) {
      routes.forEach(this::checkAddresses);
    }
    return new AccessLogConfig(
        given(ACCESS_LOG, LogKeys.OUTPUT),
        given(ACCESS_LOG, LogKeys.QUEUE),
        lines,
        rotation(),
        new LogConfig.Syslog(
            facility(given(ACCESS_LOG, LogKeys.FACILITY)), given(ACCESS_LOG, LogKeys.TAG)),
        sampling,
        given(ACCESS_LOG, LogKeys.RING));
  }

  private LogConfig.Rotation rotation() {
    Long size = value(ACCESS_LOG, LogKeys.SIZE);
    Duration every = value(ACCESS_LOG, LogKeys.EVERY);
    int keep = given(ACCESS_LOG, LogKeys.KEEP);
    boolean compress = given(ACCESS_LOG, LogKeys.COMPRESS);
    SourceLocation place =
        givenPlace(
            ACCESS_LOG + "." + LogKeys.SIZE.name(),
            ACCESS_LOG + "." + LogKeys.EVERY.name(),
            ACCESS_LOG + "." + LogKeys.KEEP.name(),
            ACCESS_LOG + "." + LogKeys.COMPRESS.name());
    if (place == null) {
      return LogConfig.Rotation.OFF;
    }
    if (!isFile(given(ACCESS_LOG, LogKeys.OUTPUT))) {
      problems.add(
          place.problem(
              "access-log.rotate",
              "the log is not written to a file",
              "name a file in access-log.output, or remove it"));
    } else if (size == null && every == null) {
      problems.add(
          place.problem("access-log.rotate", "nothing says when", "add size, every or both"));
    }
    return new LogConfig.Rotation(
        size == null ? 0 : size, every == null ? Duration.ZERO : every, keep, compress);
  }

  /** The audit log; beside the access log, never the same file. */
  AuditConfig audit(AccessLogConfig accessLog, Path data) {
    String output = value(AUDIT, LogKeys.AUDIT_OUTPUT);
    Duration every = value(AUDIT, LogKeys.AUDIT_EVERY);
    String file = output == null ? data.resolve(AuditConfig.FILE_NAME).toString() : output;
    if (isFile(file)
        && isFile(accessLog.output())
        && absolute(file).equals(absolute(accessLog.output()))) {
      problems.add(
          firstPlace("audit.output", "access-log.output")
              .problem("audit.output", "it is the file of the access log", "name another file"));
    }
    return new AuditConfig(
        output,
        new LogConfig.Rotation(
            given(AUDIT, LogKeys.AUDIT_SIZE),
            every == null ? Duration.ZERO : every,
            given(AUDIT, LogKeys.AUDIT_KEEP),
            given(AUDIT, LogKeys.AUDIT_COMPRESS)),
        new LogConfig.Syslog(
            facility(given(AUDIT, LogKeys.AUDIT_FACILITY)), given(AUDIT, LogKeys.AUDIT_TAG)));
  }

  private static Path absolute(String file) {
    return Path.of(file).toAbsolutePath().normalize();
  }

  private static boolean isFile(String output) {
    return !output.equals("off") && !output.equals("stdout") && SyslogAddress.parse(output) == null;
  }

  private static int facility(String name) {
    return Arrays.asList(LogConfig.FACILITIES).indexOf(name);
  }

  private LogConfig.Lines lines() {
    String format = given(ACCESS_LOG, LogKeys.FORMAT);
    List<LogField> fields = new ArrayList<>();
    for (String name : given(ACCESS_LOG, LogKeys.FIELDS)) {
      LogField field = LogField.of(name);
      if (field != null) {
        fields.add(field);
      }
    }
    Raw given = values.get(ACCESS_LOG + "." + LogKeys.FIELDS.name());
    if (given != null && !fields.isEmpty() && !format.equals(LogConfig.Lines.JSON)) {
      problems.add(
          given
              .place()
              .problem(
                  "access-log.fields",
                  "the format is not json",
                  "name the fields in access-log.format, or remove one of the two"));
    }
    return new LogConfig.Lines(
        format,
        fields,
        given(ACCESS_LOG, LogKeys.MASK),
        given(ACCESS_LOG, LogKeys.CLIENT_IPV4),
        given(ACCESS_LOG, LogKeys.CLIENT_IPV6));
  }

  private void checkAddresses(RouteConfig route) {
    for (String name : route.log().requestHeaders()) {
      if (ADDRESS_FIELDS.contains(name)) {
        problems.add(
            firstPlace("access-log.client-ipv4", "access-log.client-ipv6")
                .problem(
                    "access-log",
                    "lines have less than whole addresses of clients, but those of route "
                        + route.name()
                        + " have "
                        + name,
                    "remove it from the route's access-log.request-headers"));
      }
    }
  }
}
