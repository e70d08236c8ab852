package io.forebay.server.admin;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.audit.AuditLog;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.Json;
import io.forebay.server.logsink.LogSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /v1/logs/reopen}: what SIGUSR1 does, with an answer. */
final class LogsEndpoint {
  private static final Duration WAIT = Duration.ofSeconds(5);

  private final AccessLog accessLog;
  private final AuditLog auditLog;

  LogsEndpoint(AccessLog accessLog, AuditLog auditLog) {
    this.accessLog = accessLog;
    this.auditLog = auditLog;
  }

  ObjectNode reopen() throws AdminError {
    // Both are asked before one is waited for.
    @Nullable CompletableFuture<Void> access = accessLog.reopen();
    @Nullable CompletableFuture<Void> audit = auditLog.reopen();
    ObjectNode answer = Json.object();
    ArrayNode logs = answer.putArray("logs");
    List<String> problems = new ArrayList<>();
    tell("access-log", access, logs, problems);
    tell("audit", audit, logs, problems);
    if (!problems.isEmpty()) {
      throw new AdminError(503, "not all logs are reopened; the old files stay in use", problems);
    }
    return answer;
  }

  private static void tell(
      String log,
      @Nullable CompletableFuture<Void> reopened,
      ArrayNode logs,
      List<String> problems) {
    String problem = reopened == null ? null : LogSink.await(reopened, WAIT);
    if (problem != null) {
      problems.add(log + ": " + problem);
    }
    logs.addObject().put("log", log).put("result", reopened == null ? "off" : "reopened");
  }
}
