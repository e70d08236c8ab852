package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits and log lines of routes as the configuration says them. */
final class RouteSettingsConfigTest {
  @TempDir Path directory;

  private ConfigOutcome load(String route) throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(
        file,
        "origin: http://127.0.0.1:9\n"
            + "limits: {request-body: 1MiB, request-body-rate: 1KiB}\n"
            + "timeouts: {request-body-idle: 10s, request-total: 10m}\n"
            + "routes:\n  - "
            + route
            + "\n");
    return new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "limits: {request-body: 2MiB}           | limits.request-body: 2MiB is more than limits.request-body, which holds for all routes",
        "limits: {request-body-rate: 100}       | limits.request-body-rate: 100 is less than limits.request-body-rate",
        "timeouts: {request-body-idle: 11s}     | timeouts.request-body-idle: 11s is more than timeouts.request-body-idle",
        "timeouts: {request-total: 11m}         | timeouts.request-total: 11m is more than timeouts.request-total",
        "timeouts: {no-progress: 3m}            | timeouts.no-progress: 3m is more than timeouts.no-progress",
        "timeouts: {keep-alive: 2m}             | timeouts.keep-alive: 2m is more than timeouts.keep-alive",
        "limits: {request-bdy: 1KiB}            | unknown key",
        "origin-timeouts: {first-byte: 2h}      | \"2h\"",
        "access-log: {request-headers: Cookie}  | \"Cookie\" is not in a list of fields",
        "access-log: {request-headers: [authorization]} | fields with credentials are not logged",
        "access-log: {response-headers: [set-cookie]} | fields with credentials are not logged",
        "access-log: {response-headers: [a,b,c,d,e,f,g,h,i]} | name at most 8",
        "access-log: {request-headers: 'a,b,c,d,e,f,g,h,i'} | 9 fields",
        "access-log: {drop: path}               | \"path\" is not in a list of parts",
        "access-log: {hits: 101%}               | \"101\" is out of range",
      })
  void wrongValuesAreRefusedWithTheirPlace(String route, String message) throws IOException {
    List<ConfigProblem> problems =
        assertInstanceOf(ConfigOutcome.Refused.class, load(route)).problems();
    assertEquals(1, problems.size(), problems.toString());
    assertTrue(problems.toString().contains(message), problems.toString());
    assertTrue(problems.toString().contains("forebay.yaml:5"), problems.toString());
  }

  @Test
  void whatARouteDoesNotSayIsLeftToNodeAndOrigin() throws IOException {
    ServerConfig config =
        assertInstanceOf(
                ConfigOutcome.Loaded.class,
                load("{limits: {request-body: 1KiB}, origin-timeouts: {total: 2h}}"))
            .config();
    RouteLimits limits = config.routes().getFirst().limits();
    assertEquals(
        new RouteLimits(
            1024L,
            null,
            null,
            null,
            null,
            null,
            new OriginTimeouts(null, null, Duration.ofHours(2))),
        limits);
  }
}
