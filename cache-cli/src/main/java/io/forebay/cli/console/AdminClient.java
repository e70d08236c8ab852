package io.forebay.cli.console;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of a node's admin API; every failure becomes one line that names the address. */
public final class AdminClient implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  // A purge waits for an fsync, and a disk in trouble answers late rather than never.
  static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);

  private static final byte[] NOTHING = {};

  private final URI base;
  private final @Nullable Path socket;
  private final @Nullable String token;
  private final Duration patience;
  private final HttpClient http;
  private final JsonMapper json = Output.mapper();

  public AdminClient(URI base, @Nullable String token) {
    this(base, token, ANSWER_TIMEOUT);
  }

  /** A client that waits less for answers. */
  public AdminClient(URI base, @Nullable String token, Duration patience) {
    this.base = base;
    this.patience = patience;
    socket = "unix".equals(base.getScheme()) ? Path.of(base.getPath()) : null;
    this.token = token;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .proxy(HttpClient.Builder.NO_PROXY)
            .build();
  }

  public URI base() {
    return base;
  }

  public JsonNode get(String path) {
    return send(request(path).GET().build(), NOTHING);
  }

  /** An answer of any status, as it came. */
  public record Reply(int status, String text) {}

  /** Asks for what may be no JSON, or come with a status that is no success. */
  public Reply fetch(String path) {
    UnixHttpClient.Answer answer = answer(request(path).GET().build(), NOTHING);
    return new Reply(answer.status(), new String(answer.body(), StandardCharsets.UTF_8));
  }

  public @Nullable String token() {
    return token;
  }

  public JsonNode post(String path, Object body) {
    byte[] bytes = json.writeValueAsBytes(body);
    return send(
        request(path)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofByteArray(bytes))
            .build(),
        bytes);
  }

  /** Posts text as it is. */
  public JsonNode postText(String path, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return send(
        request(path)
            .header("content-type", "text/plain")
            .POST(BodyPublishers.ofByteArray(bytes))
            .build(),
        bytes);
  }

  public JsonNode delete(String path) {
    return send(request(path).DELETE().build(), NOTHING);
  }

  @Override
  public void close() {
    http.close();
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create((socket == null ? base : "http://localhost") + path))
            .timeout(patience)
            .header("accept", "application/json");
    if (token != null) {
      request.header("authorization", "Bearer " + token);
    }
    return request;
  }

  private JsonNode send(HttpRequest request, byte[] bytes) {
    UnixHttpClient.Answer response = answer(request, bytes);
    JsonNode body = parse(response);
    if (response.status() / 100 == 2 && body != null) {
      return body;
    }
    throw refusal(response.status(), body);
  }

  private UnixHttpClient.Answer answer(HttpRequest request, byte[] bytes) {
    try {
      return exchange(request, bytes);
    } catch (ConnectException
        | NoSuchFileException
        | java.net.http.HttpConnectTimeoutException unreachable) {
      throw new CommandException(
          ExitCode.FAILURE,
          "no Forebay answers at " + base + ": start one, or give its address with --admin-url",
          unreachable);
    } catch (HttpTimeoutException late) {
      throw new CommandException(
          ExitCode.FAILURE,
          "no answer from "
              + base
              + " within "
              + patience.toSeconds()
              + " s; the node may still carry out the request",
          late);
    } catch (IOException broken) {
      throw new CommandException(
          ExitCode.FAILURE, "the request to " + base + " failed: " + broken, broken);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.FAILURE, "interrupted", interrupted);
    }
  }

  private UnixHttpClient.Answer exchange(HttpRequest request, byte[] bytes)
      throws IOException, InterruptedException {
    if (socket != null) {
      return UnixHttpClient.send(socket, request, bytes, patience);
    }
    HttpResponse<byte[]> response = http.send(request, BodyHandlers.ofByteArray());
    return new UnixHttpClient.Answer(response.statusCode(), response.body());
  }

  private @Nullable JsonNode parse(UnixHttpClient.Answer response) {
    try {
      return json.readTree(response.body());
    } catch (JacksonException notJson) {
      return null;
    }
  }

  private CommandException refusal(int status, @Nullable JsonNode body) {
    if (status == 401 || status == 403) {
      return new CommandException(
          ExitCode.FAILURE,
          base
              + " answers "
              + status
              + (token == null
                  ? ": it requires a token, set FOREBAY_ADMIN_TOKEN or --token-file"
                  : ": it does not accept this token"));
    }
    String error = body == null ? "" : body.path("error").asString("");
    if (body == null || error.isEmpty()) {
      return new CommandException(
          ExitCode.FAILURE,
          base + " answers " + status + " without a reason: is it the admin API of a Forebay?");
    }
    List<String> problems = new ArrayList<>();
    body.path("problems").forEach(problem -> problems.add(problem.asString("")));
    int more = body.path("moreProblems").asInt(0);
    if (more > 0) {
      problems.add("and " + more + " more");
    }
    return new CommandException(
        switch (status) {
          case 400 -> ExitCode.USAGE;
          case 422 -> ExitCode.BAD_CONFIGURATION;
          default -> ExitCode.FAILURE;
        },
        problems.isEmpty() ? error : error + ": " + String.join("; ", problems));
  }
}
