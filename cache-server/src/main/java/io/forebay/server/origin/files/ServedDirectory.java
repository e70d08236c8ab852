package io.forebay.server.origin.files;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.ByteRange;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.Preconditions;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.server.config.FilesConfig;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.files.SiblingFile.Coding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A directory as an origin: from a request to the response that its files give. Immutable; called
 * on threads that may block.
 *
 * <pre>
 *   directory ──openat2, beneath──► handle ──statx──► directory: index, redirect, 404
 *                                                     regular file ──reopened──► 200, 206, 304, …
 *                                                     anything else: 404, never opened
 * </pre>
 */
public final class ServedDirectory {
  private static final byte[] NOTHING = {};

  /** Two changes within one step of the kernel's clock look like one; steps are milliseconds. */
  private static final long RECENT_MILLIS = 2_000;

  /** A link may be replaced while it is followed: the kernel asks to be asked again. */
  private static final int MAX_ATTEMPTS = 8;

  private static final TargetUri ANY =
      Objects.requireNonNull(TargetUri.parse("http://localhost/"), "a URI");

  private final String label;
  private final FilesConfig config;
  private final byte[] path;
  private final MediaTypes types;
  private final List<Coding> codings;
  private final LongSupplier clockMillis;

  private ServedDirectory(String origin, FilesConfig config, LongSupplier clockMillis) {
    this.label = label(origin, config);
    this.config = config;
    this.path = config.directory().toString().getBytes(StandardCharsets.UTF_8);
    this.types = new MediaTypes(config.types());
    this.codings = config.precompressed().stream().map(Coding::of).toList();
    this.clockMillis = clockMillis;
  }

  /** How log lines name an origin that is a directory. */
  public static String label(String origin, FilesConfig config) {
    return "origin " + origin + " (" + config.directory() + ")";
  }

  /**
   * For a directory that is there.
   *
   * @param clockMillis the machine's wall clock, by which files are modified
   * @throws IOException where it cannot be used, with a sentence that says why
   */
  public static ServedDirectory open(String origin, FilesConfig config, LongSupplier clockMillis)
      throws IOException {
    ServedDirectory served = new ServedDirectory(origin, config, clockMillis);
    if (served.path.length >= FileCalls.MAX_PATH) {
      throw new IOException("the path of files.directory is too long");
    }
    int inside;
    try {
      inside = served.probe();
    } catch (LinkageError e) {
      throw new IOException("files.directory needs Linux and a C library with statx", e);
    }
    if (inside < 0) {
      throw new IOException(
          "files.directory " + config.directory() + " cannot be used: " + FileCalls.text(-inside));
    }
    return served;
  }

  /** Whether files can be opened in it: 0, or a negative error number. */
  private int probe() {
    int root = openRoot();
    if (root < 0) {
      return root;
    }
    int inside = FileCalls.openBeneath(root, new byte[] {'.'});
    FileCalls.close(root);
    if (inside < 0) {
      return inside;
    }
    FileCalls.close(inside);
    return 0;
  }

  String label() {
    return label;
  }

  /** Answers a request. A file in the reply is the caller's to close. */
  FileReply answer(OriginRequest request) {
    if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
      return text(405, "only GET and HEAD are possible here", "allow", "GET, HEAD");
    }
    FileTarget target = FileTarget.of(request.target(), config.isHiddenServed());
    if (target == null) {
      return missing();
    }
    int root = openRoot();
    if (root < 0) {
      return unavailable(root, "the directory cannot be opened");
    }
    try {
      return answer(request, target, root);
    } finally {
      FileCalls.close(root);
    }
  }

  /** A handle of the directory; a negative error number where it is none. */
  private int openRoot() {
    int root = FileCalls.openPath(path);
    if (root < 0) {
      return root;
    }
    FileState state = FileCalls.state(root);
    if (state == null || !state.isDirectory()) {
      FileCalls.close(root);
      return -FileCalls.ENOTDIR;
    }
    return root;
  }

  private FileReply answer(OriginRequest request, FileTarget target, int root) {
    String index = config.index();
    if (target.isDirectory() && index == null) {
      return missing();
    }
    byte[] file = target.isDirectory() && index != null ? target.of(index) : target.path();
    if (file.length >= FileCalls.MAX_PATH) {
      return missing();
    }
    int handle = -FileCalls.EAGAIN;
    for (int i = 0; i < MAX_ATTEMPTS && handle == -FileCalls.EAGAIN; i++) {
      handle = FileCalls.openBeneath(root, file);
    }
    if (handle < 0) {
      return notOpened(handle);
    }
    try {
      FileState state = FileCalls.state(handle);
      if (state == null) {
        return unavailable(0, "a file's state cannot be read");
      }
      if (state.isDirectory() && !target.isDirectory()) {
        return redirect(target);
      }
      if (!state.isRegular()) {
        return missing();
      }
      if (codings.isEmpty()) {
        return answer(request, file, handle, null, false);
      }
      SiblingFile sibling =
          SiblingFile.find(root, file, state, codings, AcceptEncoding.classOf(request.fields()));
      try {
        return sibling.coding() == null
            ? answer(request, file, handle, null, sibling.isVaried())
            : answer(request, file, sibling.handle(), sibling.coding(), true);
      } finally {
        sibling.close();
      }
    } finally {
      FileCalls.close(handle);
    }
  }

  /**
   * Answers with a file.
   *
   * @param path of the plain file, by which its type is known
   * @param handle of the file that is sent
   * @param coding of that file, or null
   * @param isVaried whether other clients may get another file
   */
  private FileReply answer(
      OriginRequest request, byte[] path, int handle, @Nullable Coding coding, boolean isVaried) {
    int descriptor = FileCalls.reopen(handle);
    if (descriptor == -FileCalls.ENOENT) {
      return unavailable(descriptor, "/proc is not mounted");
    }
    if (descriptor < 0) {
      return notOpened(descriptor);
    }
    FileState state = FileCalls.state(descriptor);
    if (state == null) {
      FileCalls.close(descriptor);
      return unavailable(0, "a file's state cannot be read");
    }
    FileReply.Response response =
        response(request, path, new OpenFile(descriptor, state), coding, isVaried);
    if (response.file() == null) {
      FileCalls.close(descriptor);
    }
    return response;
  }

  /** What a file gives; the file is in it if bytes of it are. */
  private FileReply.Response response(
      OriginRequest request,
      byte[] path,
      OpenFile file,
      @Nullable Coding coding,
      boolean isVaried) {
    FileState state = file.state();
    long now = clockMillis.getAsLong();
    long modified = state.modifiedMillis();
    boolean isRecent = Math.abs(now - modified) < RECENT_MILLIS;
    String etag = isRecent ? null : state.entityTag();
    long lastModified =
        isRecent || modified > now || modified < 0 ? HttpDate.INVALID : modified - modified % 1000;
    HeaderFields.Builder fields = HeaderFields.builder();
    if (config.cacheControl() != null) {
      fields.add("cache-control", config.cacheControl());
    }
    if (etag != null) {
      fields.add("etag", etag);
    }
    if (lastModified != HttpDate.INVALID) {
      fields.add("last-modified", HttpDate.format(lastModified));
    }
    if (isVaried) {
      fields.add("vary", "Accept-Encoding");
    }
    fields.add("accept-ranges", "bytes");
    SyntheticRequest view =
        SyntheticRequest.of(
            request.method(),
            ANY,
            lastModified == HttpDate.INVALID
                ? request.fields().without("if-modified-since"::equals)
                : request.fields());
    switch (Preconditions.evaluate(view, etag, lastModified, now)) {
      case NOT_MODIFIED -> {
        return FileReply.Response.of(304, fields.build(), NOTHING);
      }
      case PRECONDITION_FAILED -> {
        return text(412, "the file is another one");
      }
      case PROCEED -> {
        // The file is sent.
      }
    }
    boolean mayBePart =
        request.method().equals("GET") && Preconditions.allowsRange(view, etag, lastModified, now);
    ByteRange range =
        mayBePart ? ByteRange.of(request.fields().first("range"), state.size(), 1) : ByteRange.NONE;
    if (range instanceof ByteRange.Unsatisfiable) {
      return text(416, "the file is shorter", "content-range", "bytes */" + state.size());
    }
    fields.add("content-type", types.of(path));
    if (coding != null) {
      fields.add("content-encoding", coding.token());
    }
    if (range instanceof ByteRange.Satisfiable part) {
      fields
          .add("content-range", "bytes " + part.first() + "-" + part.last() + "/" + state.size())
          .add("content-length", Long.toString(part.length()));
      return new FileReply.Response(
          206, fields.build(), NOTHING, file, part.first(), part.length());
    }
    fields.add("content-length", Long.toString(state.size()));
    boolean hasBody = request.method().equals("GET") && state.size() > 0;
    return new FileReply.Response(
        200, fields.build(), NOTHING, hasBody ? file : null, 0, hasBody ? state.size() : 0);
  }

  private FileReply redirect(FileTarget target) {
    String cacheControl = config.cacheControl();
    return cacheControl == null
        ? text(301, "this is a directory", "location", target.directoryReference())
        : text(
            301,
            "this is a directory",
            "location",
            target.directoryReference(),
            "cache-control",
            cacheControl);
  }

  private FileReply notOpened(int error) {
    return switch (-error) {
      case FileCalls.EACCES, FileCalls.EPERM -> text(403, "the file may not be read");
      // A link that leads out of the directory is as good as none.
      case FileCalls.ENOENT,
          FileCalls.ENOTDIR,
          FileCalls.ENAMETOOLONG,
          FileCalls.ELOOP,
          FileCalls.EXDEV ->
          missing();
      default -> unavailable(error, "a file cannot be opened");
    };
  }

  private static FileReply.Response missing() {
    return text(404, "there is no such file");
  }

  private FileReply unavailable(int error, String what) {
    boolean isLimit = error == -FileCalls.EMFILE || error == -FileCalls.ENFILE;
    return new FileReply.Failed(
        new OriginFailure(
            isLimit ? Kind.TOO_MANY_CONNECTIONS : Kind.CONNECT_FAILED,
            label + ": " + what + (error == 0 ? "" : ": " + FileCalls.text(-error))));
  }

  private static FileReply.Response text(int status, String text, String... more) {
    byte[] body = (text + "\n").getBytes(StandardCharsets.US_ASCII);
    HeaderFields.Builder fields = HeaderFields.builder();
    for (int i = 0; i < more.length; i += 2) {
      fields.add(more[i], more[i + 1]);
    }
    fields
        .add("content-type", "text/plain; charset=utf-8")
        .add("content-length", Integer.toString(body.length));
    return FileReply.Response.of(status, fields.build(), body);
  }
}
