package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Reads what is configured of logs. */
final class LogBinder extends Binder {
  private static final String ACCESS_LOG = LogKeys.ACCESS_LOG.prefix();

  private static final String AUDIT = LogKeys.AUDIT.prefix();

  /** Fields of requests that have addresses of clients. */
  LogBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  AccessLogConfig accessLog(LogSampling sampling) {
    return new AccessLogConfig(
        given(ACCESS_LOG, LogKeys.OUTPUT),
        given(ACCESS_LOG, LogKeys.QUEUE),
        lines(),
        rotation(),
        new LogConfig.Syslog(
            facility(given(ACCESS_LOG, LogKeys.OUTPUTS.facility())),
            given(ACCESS_LOG, LogKeys.OUTPUTS.tag())),
        sampling,
        given(ACCESS_LOG, LogKeys.RING));
  }

  private LogConfig.Rotation rotation() {
    Long size = value(ACCESS_LOG, LogKeys.OUTPUTS.size());
    Duration every = value(ACCESS_LOG, LogKeys.OUTPUTS.every());
    int keep = given(ACCESS_LOG, LogKeys.OUTPUTS.keep());
    boolean compress = given(ACCESS_LOG, LogKeys.OUTPUTS.compress());
    SourceLocation place =
        givenPlace(
            ACCESS_LOG + "." + LogKeys.OUTPUTS.size().name(),
            ACCESS_LOG + "." + LogKeys.OUTPUTS.every().name(),
            ACCESS_LOG + "." + LogKeys.OUTPUTS.keep().name(),
            ACCESS_LOG + "." + LogKeys.OUTPUTS.compress().name());
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
    Duration every = value(AUDIT, LogKeys.AUDIT_OUTPUTS.every());
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
            given(AUDIT, LogKeys.AUDIT_OUTPUTS.size()),
            every == null ? Duration.ZERO : every,
            given(AUDIT, LogKeys.AUDIT_OUTPUTS.keep()),
            given(AUDIT, LogKeys.AUDIT_OUTPUTS.compress())),
        new LogConfig.Syslog(
            facility(given(AUDIT, LogKeys.AUDIT_OUTPUTS.facility())),
            given(AUDIT, LogKeys.AUDIT_OUTPUTS.tag())));
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
}
