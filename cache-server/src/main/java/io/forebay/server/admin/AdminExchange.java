package io.forebay.server.admin;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One complete request of the admin API, and the fields of its response. */
final class AdminExchange {
  private final String method;
  private final String target;
  private final HttpHeaders fields;
  private final byte[] body;
  private final String caller;
  private final @Nullable AdminPeer peer;
  private final HttpHeaders answerFields = new DefaultHttpHeaders();

  /**
   * A request.
   *
   * @param target as in the request line
   * @param caller address of the client, or {@code unix}
   * @param peer the process of the client, or null if it is not known
   */
  AdminExchange(
      String method,
      String target,
      HttpHeaders fields,
      byte[] body,
      String caller,
      @Nullable AdminPeer peer) {
    this.method = method;
    this.target = target;
    this.fields = fields;
    this.body = body;
    this.caller = caller;
    this.peer = peer;
  }

  String method() {
    return method;
  }

  /** The path as it came; empty for a target that is none. */
  String path() {
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    return path.startsWith("/") ? path : "";
  }

  @Nullable String query() {
    int query = target.indexOf('?');
    return query < 0 ? null : target.substring(query + 1);
  }

  List<String> fields(String name) {
    return fields.getAll(name);
  }

  @Nullable String field(String name) {
    return fields.get(name);
  }

  byte[] body() {
    return body;
  }

  String caller() {
    return caller;
  }

  @Nullable AdminPeer peer() {
    return peer;
  }

  HttpHeaders answerFields() {
    return answerFields;
  }
}
