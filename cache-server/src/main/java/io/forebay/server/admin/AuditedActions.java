package io.forebay.server.admin;

import io.forebay.server.audit.AuditActor;
import io.forebay.server.audit.AuditActor.By;
import io.forebay.server.audit.AuditEvent;
import io.forebay.server.audit.AuditEvent.Result;
import io.forebay.server.audit.AuditLog;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the audit log of requests that have the node do something: whatever is neither a question
 * nor about one. A new endpoint is among them without doing anything for it.
 */
final class AuditedActions {
  private static final int MAX_ACTION = 200;

  /** Requests with POST that change nothing. */
  private static final Set<String> QUESTIONS = Set.of("/v1/explain");

  private final AuditLog log;

  AuditedActions(AuditLog log) {
    this.log = log;
  }

  /** A request was answered. */
  void answered(AdminExchange exchange, boolean hasToken, AdminReply reply, long nanos) {
    if (!isAction(exchange)) {
      return;
    }
    boolean isStranger = reply.status() == 401 || reply.status() == 403;
    Result result =
        reply.status() < 300 ? Result.DONE : reply.status() < 500 ? Result.REFUSED : Result.FAILED;
    By by = isStranger ? By.NOTHING : hasToken ? By.TOKEN : By.LISTENER;
    log.record(
        new AuditEvent(
            actor(exchange, by),
            action(exchange),
            isStranger ? null : parameters(exchange),
            result,
            reply.status(),
            reply.body(),
            nanos,
            0));
  }

  private static boolean isAction(AdminExchange exchange) {
    return switch (exchange.method()) {
      case "GET", "HEAD", "OPTIONS", "TRACE" -> false;
      default -> !QUESTIONS.contains(exchange.path());
    };
  }

  /** {@code POST purge}. */
  private static String action(AdminExchange exchange) {
    String path = exchange.path();
    String name = path.startsWith("/v1/") ? path.substring(4) : path;
    return exchange.method() + " " + name.substring(0, Math.min(name.length(), MAX_ACTION));
  }

  private static AuditActor actor(AdminExchange exchange, By by) {
    String caller = exchange.caller();
    AdminPeer peer = exchange.peer();
    return new AuditActor(
        by, caller, peer == null ? null : peer.user(), peer == null ? null : peer.group());
  }

  private static byte @Nullable [] parameters(AdminExchange exchange) {
    if (exchange.body().length > 0) {
      return exchange.body();
    }
    String query = exchange.query();
    return query == null ? null : ("?" + query).getBytes(StandardCharsets.UTF_8);
  }
}
