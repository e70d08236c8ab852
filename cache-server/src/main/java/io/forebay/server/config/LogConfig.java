package io.forebay.server.config;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the logs of requests and of actions have in common: their lines and where these go. */
public final class LogConfig {

  /**
   * Parameters whose values are secrets by their usual names: of sessions and logins, of signed
   * URLs of this node and of others.
   */
  static final List<String> SECRET_PARAMETERS =
      List.of(
          "access_token",
          "api-key",
          "api_key",
          "apikey",
          "auth",
          "authorization",
          "client_secret",
          "hdnea",
          "hdnts",
          "hmac",
          "id_token",
          "jsessionid",
          "jwt",
          "key",
          "passwd",
          "password",
          "phpsessid",
          "pwd",
          "refresh_token",
          "secret",
          "session",
          "session_id",
          "sessionid",
          "sig",
          "sign",
          "signature",
          "token",
          "x-amz-credential",
          "x-amz-security-token",
          "x-amz-signature",
          "x-goog-credential",
          "x-goog-signature");

  /** The facilities of syslog by their numbers (RFC 5424 §6.2.1). */
  static final String[] FACILITIES = {
    "kern",
    "user",
    "mail",
    "daemon",
    "auth",
    "syslog",
    "lpr",
    "news",
    "uucp",
    "cron",
    "authpriv",
    "ftp",
    "ntp",
    "security",
    "console",
    "clock",
    "local0",
    "local1",
    "local2",
    "local3",
    "local4",
    "local5",
    "local6",
    "local7"
  };

  private LogConfig() {}

  /**
   * What lines of the access log have and hide.
   *
   * @param format {@code json}, {@code combined}, or a text with fields in braces
   * @param fields of JSON, in their order; empty for all
   * @param mask parameters whose values are hidden, in lower case
   * @param ipv4Bits leading bits of IPv4 addresses of clients that lines have
   * @param ipv6Bits the same of IPv6
   */
  public record Lines(
      String format, List<LogField> fields, List<String> mask, int ipv4Bits, int ipv6Bits) {
    public static final String JSON = "json";
    static final String COMBINED = "combined";

    /** JSON with everything, addresses whole. */
    public static final Lines DEFAULT = new Lines(JSON, List.of(), SECRET_PARAMETERS, 32, 128);

    public Lines {
      fields = List.copyOf(fields);
      mask = List.copyOf(mask);
    }

    /** How lines of text are written; null for JSON. */
    public @Nullable LogTemplate template() {
      return switch (format) {
        case JSON -> null;
        case COMBINED -> template(LogTemplate.COMBINED);
        default -> template(format);
      };
    }

    /** Whether lines have less than the whole address of a client. */
    public boolean truncatesClients() {
      return ipv4Bits < 32 || ipv6Bits < 128;
    }

    private static LogTemplate template(String text) {
      try {
        return LogTemplate.of(text);
      } catch (ValueType.WrongValueException e) {
        throw new IllegalStateException("a format that was not checked", e);
      }
    }
  }

  /**
   * When a log begins a new file and what becomes of the old ones.
   *
   * @param size at which one begins, or 0
   * @param every after which one begins, or zero
   * @param keep how many old ones are kept
   * @param compress whether these are compressed
   */
  public record Rotation(long size, Duration every, int keep, boolean compress) {
    public static final Rotation OFF = new Rotation(0, Duration.ZERO, 0, false);

    public boolean isOn() {
      return size > 0 || every.isPositive();
    }
  }

  /**
   * What messages of syslog say beside the line.
   *
   * @param facility from 0 to 23
   * @param tag their APP-NAME
   */
  public record Syslog(int facility, String tag) {
    public static final Syslog DEFAULT = new Syslog(23, "forebay");

    String facilityName() {
      return FACILITIES[facility];
    }
  }
}
