package io.forebay.server.config;

import static io.forebay.server.config.Field.atStart;
import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.ValueType.integer;
import static io.forebay.server.config.ValueType.size;

import io.forebay.server.config.Section.Shape;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The keys of the access log and of the audit log. */
final class LogKeys {
  static final Field<AccessLogConfig, String> OUTPUT =
      atStart(
          "output",
          ValueType.LOG_OUTPUT,
          "off",
          AccessLogConfig::output,
          "Destination of the access log: standard output, a file, or a receiver of syslog, such as"
              + " `syslog+unix:/dev/log`, `syslog+udp://192.0.2.7:514` or"
              + " `syslog+tcp://logs.example.com:601`. A file is reopened on SIGUSR1.");
  static final Field<AccessLogConfig, Integer> QUEUE =
      atStart(
          "queue",
          integer(64, 1_048_576),
          "8192",
          AccessLogConfig::queueLines,
          "Maximum number of lines queued, over all event loops, while the writer is"
              + " behind; further lines are dropped and counted. Each line takes about 3 KiB.");
  static final Field<AccessLogConfig, String> FORMAT =
      atStart(
          "format",
          ValueType.LOG_FORMAT,
          "json",
          log -> log.lines().format(),
          "How a line is written: `json`; `combined`, the format of that name of Apache and nginx; or"
              + " a text with fields in braces, such as `{client} {status} \"{target}\"`. Two braces"
              + " stand for one.");
  static final Field<AccessLogConfig, List<String>> FIELDS =
      atStart(
          "fields",
          ValueType.LOG_FIELDS,
          "",
          log -> log.lines().fields().stream().map(LogField::label).toList(),
          "Fields that lines of JSON have, in this order; all if empty. `v`, `sampled` and"
              + " `truncated` are always there.");
  static final Field<AccessLogConfig, List<String>> MASK =
      atStart(
          "mask",
          ValueType.LOG_PARAMETERS,
          String.join(",", LogConfig.SECRET_PARAMETERS),
          log -> log.lines().mask(),
          "Parameters whose values appear as `***`, in the target, in `Referer` and in header"
              + " fields that are logged; upper and lower case count as the same. `[]` hides none.");
  static final Field<AccessLogConfig, Integer> CLIENT_IPV4 =
      atStart(
          "client-ipv4",
          integer(0, 32),
          "32",
          log -> log.lines().ipv4Bits(),
          "Leading bits of the IPv4 addresses of clients that lines have; the others are 0. With 24,"
              + " `192.0.2.7` appears as `192.0.2.0`.");
  static final Field<AccessLogConfig, Integer> CLIENT_IPV6 =
      atStart(
          "client-ipv6",
          integer(0, 128),
          "128",
          log -> log.lines().ipv6Bits(),
          "The same for IPv6, such as 48.");

  /** Of its files and messages. */
  static final OutputKeys<AccessLogConfig> OUTPUTS =
      OutputKeys.of(
          AccessLogConfig::rotation,
          AccessLogConfig::syslog,
          new OutputKeys.Defaults(null, 7, "off", "local7", "forebay"));

  static final Field<AccessLogConfig, String> SAMPLE =
      optional(
          "sample",
          ValueType.SAMPLING,
          "none",
          false,
          log -> log.sampling().isOn() ? log.sampling().text() : null,
          "Rules by which requests have a line: of the first that holds, the share `keep`. A rule"
              + " names `status`, `cache` and a condition on the request (`when`), or some of these."
              + " Where none holds, `routes[].access-log.hits` says.");

  static final Field<AccessLogConfig, Long> RING =
      atStart(
          "ring",
          size("0", "1GiB"),
          "4MiB",
          AccessLogConfig::ringBytes,
          "Size of the request ring of each event loop, which `forebay log`, `top` and `hist` read: a"
              + " file in the memory directory, with a record of each finished request, the oldest"
              + " overwritten. It takes this much memory, and as much again for the records of the"
              + " process before. At least 64KiB; 0 for none. It does not need an `output`.");

  static final Section<AccessLogConfig> ACCESS_LOG =
      new Section<>(
          "access-log",
          Shape.ONCE,
          "One line per request.",
          "output",
          joined(
              List.of(OUTPUT, QUEUE, FORMAT, FIELDS, MASK, CLIENT_IPV4, CLIENT_IPV6, SAMPLE, RING),
              OUTPUTS.all()),
          config -> Map.of("", config.accessLog()));

  static final Field<AuditConfig, String> AUDIT_OUTPUT =
      optional(
          "output",
          ValueType.LOG_OUTPUT,
          "`audit.log` in `store.data`",
          true,
          AuditConfig::output,
          "Destination of the audit log, as of `access-log.output`. Its files can be read by the user"
              + " of the process alone.");
  static final OutputKeys<AuditConfig> AUDIT_OUTPUTS =
      OutputKeys.of(
          AuditConfig::rotation,
          AuditConfig::syslog,
          new OutputKeys.Defaults("16MiB", 10, "on", "authpriv", "forebay-audit"));

  static final Section<AuditConfig> AUDIT =
      new Section<>(
          "audit",
          Shape.ONCE,
          "One line for each action of operators: purges, reloads, drains and others, with who did"
              + " it.",
          "output",
          joined(List.of(AUDIT_OUTPUT), AUDIT_OUTPUTS.all()),
          config -> Map.of("", config.audit()));

  private LogKeys() {}

  private static <C> List<Field<C, ?>> joined(List<Field<C, ?>> own, List<Field<C, ?>> outputs) {
    return Stream.concat(own.stream(), outputs.stream()).toList();
  }
}
