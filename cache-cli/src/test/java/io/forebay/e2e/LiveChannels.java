package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;

/**
 * Channels of HLS, DASH and low-latency DASH that ffmpeg makes in real time, each in a folder of a
 * directory: a minute of small pictures, encoded beforehand, again and again. Segments have two
 * seconds, and are deleted some time after they have left their playlist.
 */
final class LiveChannels implements AutoCloseable {
  private static final List<String> DASH =
      List.of(
          "-map",
          "0:v",
          "-c",
          "copy",
          "-f",
          "dash",
          "-seg_duration",
          "2",
          "-window_size",
          "6",
          "-extra_window_size",
          "10",
          "-use_template",
          "1");

  private final Path directory;
  private final Path fragmented;
  private final Process process;
  private final Path log;

  private LiveChannels(Path directory, Path fragmented, Process process, Path log) {
    this.directory = directory;
    this.fragmented = fragmented;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts them and returns once a player finds enough of each.
   *
   * @param work for files besides
   */
  static LiveChannels start(Path directory, Path work) throws Exception {
    Path ffmpeg = Tools.require("ffmpeg");
    Files.createDirectories(work);
    Path source = work.resolve("source.mp4");
    run(
        ffmpeg,
        "-f lavfi -i testsrc=size=160x90:rate=10 -t 60 -c:v libx264 -preset veryfast"
            + " -profile:v baseline -pix_fmt yuv420p -g 20 -keyint_min 20 -sc_threshold 0 -b:v 60k",
        source);
    Path fragmented = work.resolve("fragmented.mp4");
    run(
        ffmpeg,
        "-i %s -c copy -movflags empty_moov+default_base_moof -frag_duration %d"
            .formatted(source, TimeUnit.NANOSECONDS.toMicros(LowLatencyHls.PART.toNanos())),
        fragmented);
    for (String channel : List.of("hls", "dash", "ll-dash")) {
      Files.createDirectories(directory.resolve(channel));
    }
    List<String> command = command(ffmpeg, "-re -stream_loop -1 -i " + source);
    command.addAll(
        words(
            "-map 0:v -c copy -f hls -hls_time 2 -hls_list_size 6 -hls_delete_threshold 10"
                + " -hls_flags delete_segments+program_date_time+temp_file"
                + " -hls_segment_filename "
                + directory.resolve("hls/segment-%05d.ts")));
    command.add(directory.resolve("hls/live.m3u8").toString());
    command.addAll(DASH);
    command.addAll(words("-use_timeline 1"));
    command.add(directory.resolve("dash/live.mpd").toString());
    command.addAll(DASH);
    command.addAll(
        words(
            "-use_timeline 0 -streaming 1 -ldash 1 -frag_type duration -frag_duration 0.5"
                + " -write_prft 1 -target_latency 3"));
    command.add(directory.resolve("ll-dash/live.mpd").toString());
    Path log = work.resolve("ffmpeg.log");
    Process process =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    LiveChannels channels = new LiveChannels(directory, fragmented, process, log);
    try {
      for (String channel : List.of("hls", "dash", "ll-dash")) {
        Await.until("five segments of " + channel, () -> channels.segments(channel) >= 5);
      }
      return channels;
    } catch (AssertionError failed) {
      channels.close();
      throw failed;
    }
  }

  private static void run(Path ffmpeg, String options, Path output) throws Exception {
    List<String> command = command(ffmpeg, options);
    command.add(output.toString());
    Commands.run(Duration.ofMinutes(2), command).orFail();
  }

  private static List<String> command(Path ffmpeg, String options) {
    List<String> command =
        new ArrayList<>(List.of(ffmpeg.toString(), "-hide_banner", "-nostats", "-y"));
    command.addAll(words(options));
    return command;
  }

  private static List<String> words(String options) {
    return List.of(options.split(" ", -1));
  }

  private long segments(String channel) throws IOException {
    assertRunning();
    try (Stream<Path> files = Files.list(directory.resolve(channel))) {
      return files.filter(file -> isSegment(file.toString())).count();
    }
  }

  static boolean isSegment(String path) {
    return path.endsWith(".ts") || (path.endsWith(".m4s") && !path.contains("init-"));
  }

  /** The same pictures as a fragmented MP4 file, for {@link LowLatencyHls}. */
  Path fragmented() {
    return fragmented;
  }

  /** Fails where ffmpeg has ended by itself. */
  void assertRunning() throws IOException {
    if (!process.isAlive()) {
      Assertions.fail("ffmpeg ended: " + Files.readString(log));
    }
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
