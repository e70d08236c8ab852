package io.forebay.lab.command;

import io.forebay.lab.origin.Behaviour;
import io.forebay.lab.origin.OriginOptions;
import io.forebay.lab.origin.OriginProcess;
import io.forebay.lab.origin.OriginServer;
import io.forebay.lab.origin.SegmentWindow;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;

/** Runs the origin until a signal. */
@Command(
    name = "origin",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    header = "Serve bodies of any size and channels of any number, without files.",
    description = {
      "",
      "URLs: /o/BYTES/NAME (1500, 100KB, 2MB), /CHANNEL/variantNN/TYPE/SIZEKB/SEGMENT,"
          + " /CHANNEL/index.m3u8, /CHANNEL/manifest.mpd, /_stats. Bodies are random bytes, also"
          + " those of segments.",
      "",
      "A query changes one response: ?latency=20ms&jitter=5ms&rate=1MB&status=503&errors=0.1"
          + "&cut=0.5&flap=30s&max-age=60&chunked=true",
      ""
    },
    footer = {
      "",
      "Example:",
      "  forebay lab origin --listen 127.0.0.1:9000 &",
      "  curl -s http://127.0.0.1:9000/o/2MB/a | wc -c"
    })
final class OriginCommand implements Callable<Integer> {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS:PORT",
      defaultValue = "127.0.0.1:9000",
      description = "Where to listen; port 0 for a free one.")
  @SuppressWarnings("NullAway.Init") // has a default
  private String listen;

  @Option(names = "--threads", paramLabel = "N", defaultValue = "1", description = "Event loops.")
  private int threads;

  @Option(
      names = "--certificate",
      paramLabel = "PEM",
      description = "Certificate and its chain: HTTPS.")
  private @Nullable String certificate;

  @Option(names = "--key", paramLabel = "PEM", description = "Key of the certificate (PKCS#8).")
  private @Nullable String key;

  @Option(
      names = "--latency-millis",
      paramLabel = "MS",
      defaultValue = "0",
      description = "Before the first byte.")
  private int latencyMillis;

  @Option(
      names = "--jitter-millis",
      paramLabel = "MS",
      defaultValue = "0",
      description = "At most so much more, evenly at random.")
  private int jitterMillis;

  @Option(
      names = "--bytes-per-second",
      paramLabel = "N",
      defaultValue = "0",
      description = "Of each response; 0 for no bound.")
  private long bytesPerSecond;

  @Option(
      names = "--error-share",
      paramLabel = "SHARE",
      defaultValue = "0",
      description = "Of responses that are errors, 0 to 1.")
  private double errorShare;

  @Option(
      names = "--error-status",
      paramLabel = "STATUS",
      defaultValue = "503",
      description = "Of errors, 400 to 599.")
  private int errorStatus;

  @Option(
      names = "--cut-share",
      paramLabel = "SHARE",
      defaultValue = "0",
      description = "Of bodies that break off after their first half.")
  private double cutShare;

  @Option(
      names = "--flap-seconds",
      paramLabel = "S",
      defaultValue = "0",
      description = "Only errors in the second half of each such period; 0 for none.")
  private int flapSeconds;

  @Option(
      names = "--max-age-seconds",
      paramLabel = "S",
      defaultValue = "3600",
      description = "In Cache-Control; -1 for no-store.")
  private int maxAgeSeconds;

  @Option(names = "--chunked", description = "Send bodies without a length.")
  private boolean isChunked;

  @Option(
      names = "--live",
      description = "Segments exist once they are over, and leave after the buffer.")
  private boolean isLive;

  @Option(
      names = "--segment-seconds",
      paramLabel = "S",
      defaultValue = "6",
      description = "Length of a segment.")
  private int segmentSeconds;

  @Option(
      names = "--segments",
      paramLabel = "N",
      defaultValue = "60",
      description = "Of a channel that exist at a time.")
  private int segments;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of bodies, errors and jitter.")
  private long seed;

  @Option(names = "--json", description = "Print the address as a line of JSON.")
  private boolean isJson;

  @Option(
      names = "--with-parent",
      description =
          "End when standard input ends. A line \"stats\" there prints the figures as JSON.")
  private boolean isWithParent;

  OriginCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    OriginOptions options = options();
    PrintWriter out = spec.commandLine().getOut();
    try (OriginServer server = OriginServer.start(options, InstantSource.system())) {
      out.println(isJson ? started(server, options) : "origin     " + server.address());
      out.flush();
      if (isWithParent) {
        serveParent(server, out);
      } else {
        new CountDownLatch(1).await(); // A signal ends the process.
      }
      return LabExit.OK;
    } catch (IOException e) {
      spec.commandLine().getErr().println("origin: " + e.getMessage());
      return LabExit.FAILURE;
    }
  }

  private static String started(OriginServer server, OriginOptions options) {
    Map<String, Object> line = new TreeMap<>();
    line.put("event", "started");
    line.put("address", server.address().toString());
    line.put("threads", options.threads());
    line.put("seed", options.seed());
    return MAPPER.writeValueAsString(line);
  }

  private static void serveParent(OriginServer server, PrintWriter out) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals(OriginProcess.STATS)) {
        out.println(MAPPER.writeValueAsString(server.stats()));
        out.flush();
      }
    }
  }

  private OriginOptions options() {
    int colon = listen.lastIndexOf(':');
    if (colon < 1 || !listen.substring(colon + 1).matches("\\d{1,5}")) {
      throw wrong("--listen " + listen + ": write ADDRESS:PORT, such as 127.0.0.1:9000");
    }
    OriginOptions.Tls tls = null;
    if (certificate != null && key != null) {
      tls = new OriginOptions.Tls(certificate, key);
    } else if (certificate != null || key != null) {
      throw wrong("--certificate and --key go together: write both or neither");
    }
    try {
      return new OriginOptions(
          listen.substring(0, colon),
          Integer.parseInt(listen.substring(colon + 1)),
          threads,
          tls,
          new Behaviour(
              latencyMillis,
              jitterMillis,
              bytesPerSecond,
              errorShare,
              errorStatus,
              cutShare,
              flapSeconds,
              maxAgeSeconds,
              isChunked),
          new SegmentWindow(isLive, segmentSeconds, segments),
          seed);
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
