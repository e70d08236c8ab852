package io.forebay.server.origin.probe;

import io.forebay.server.config.ProbeConfig;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settings of probes in the making, for tests. */
public final class ProbeDraft {
  private ProbeConfig.Type type = ProbeConfig.Type.HTTP;
  private String path = "/";
  private String method = "GET";
  private List<String> statuses = List.of("200-299");
  private @Nullable String text;
  private long textWithin = 1024;
  private @Nullable String host;
  private @Nullable Integer port;
  private @Nullable String tlsName;
  private Duration interval = Duration.ofMillis(20);
  private Duration timeout = Duration.ofSeconds(20);
  private int healthy = 1;
  private int unhealthy = 1;
  private int window;
  private ProbeConfig.Initial initial = ProbeConfig.Initial.USABLE;

  private ProbeDraft() {}

  /** A GET of the root every 20 ms; one result makes a verdict. */
  public static ProbeDraft http() {
    return new ProbeDraft();
  }

  /** A connection every 20 ms. */
  public static ProbeDraft tcp() {
    ProbeDraft draft = new ProbeDraft();
    draft.type = ProbeConfig.Type.TCP;
    return draft;
  }

  ProbeDraft request(String newMethod, String newPath) {
    method = newMethod;
    path = newPath;
    return this;
  }

  ProbeDraft statuses(String... all) {
    statuses = List.of(all);
    return this;
  }

  ProbeDraft text(String expected, long within) {
    text = expected;
    textWithin = within;
    return this;
  }

  public ProbeDraft host(String newHost) {
    host = newHost;
    return this;
  }

  public ProbeDraft port(int newPort) {
    port = newPort;
    return this;
  }

  public ProbeDraft tlsName(String name) {
    tlsName = name;
    return this;
  }

  public ProbeDraft intervalMillis(long millis) {
    interval = Duration.ofMillis(millis);
    return this;
  }

  ProbeDraft timeoutMillis(long millis) {
    timeout = Duration.ofMillis(millis);
    return this;
  }

  public ProbeDraft thresholds(int newHealthy, int newUnhealthy) {
    healthy = newHealthy;
    unhealthy = newUnhealthy;
    return this;
  }

  ProbeDraft window(int results) {
    window = results;
    return this;
  }

  public ProbeDraft unusableAtFirst() {
    initial = ProbeConfig.Initial.UNUSABLE;
    return this;
  }

  public ProbeConfig config() {
    return new ProbeConfig(
        type,
        path,
        method,
        statuses,
        text,
        textWithin,
        host,
        port,
        tlsName,
        interval,
        timeout,
        10,
        healthy,
        unhealthy,
        window,
        initial);
  }
}
