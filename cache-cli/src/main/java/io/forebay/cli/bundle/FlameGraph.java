package io.forebay.cli.bundle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Samples of a recording as one page that needs nothing else: a box for each frame, as wide as its
 * share of the samples, below the frame that called it. The first row has the threads.
 */
final class FlameGraph {
  private static final int WIDTH = 1600;
  private static final int ROW = 17;
  private static final int MAX_DEPTH = 200;

  /** Narrower boxes could not be seen. */
  private static final double MIN_PIXELS = 0.3;

  private static final double PIXELS_A_CHARACTER = 6.6;

  private static final class Frame {
    final TreeMap<String, Frame> calls = new TreeMap<>();
    long samples;

    void add(Deque<String> stack) {
      samples++;
      String next = stack.pollFirst();
      if (next != null) {
        calls.computeIfAbsent(next, name -> new Frame()).add(stack);
      }
    }

    int depth() {
      return 1 + calls.values().stream().mapToInt(Frame::depth).max().orElse(0);
    }
  }

  private final Frame all = new Frame();

  /** Reads the samples of a recording. */
  static FlameGraph of(Path recording) throws IOException {
    FlameGraph graph = new FlameGraph();
    try (RecordingFile events = new RecordingFile(recording)) {
      while (events.hasMoreEvents()) {
        RecordedEvent event = events.readEvent();
        if (event.getEventType().getName().equals("jdk.ExecutionSample")
            && event.getStackTrace() != null) {
          RecordedThread thread = event.getThread("sampledThread");
          graph.add(
              thread == null || thread.getJavaName() == null ? "thread" : thread.getJavaName(),
              event.getStackTrace().getFrames().stream().map(FlameGraph::name).toList());
        }
      }
    }
    return graph;
  }

  /**
   * Counts a sample.
   *
   * @param frames the innermost first
   */
  void add(String thread, List<String> frames) {
    Deque<String> stack = new ArrayDeque<>();
    frames.stream().limit(MAX_DEPTH).forEach(stack::addFirst);
    stack.addFirst(thread);
    all.add(stack);
  }

  long samples() {
    return all.samples;
  }

  private static String name(RecordedFrame frame) {
    return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
  }

  String html(String title) {
    int height = (all.depth() + 1) * ROW;
    StringBuilder page = new StringBuilder(1 << 16);
    page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    page.append(escaped(title));
    page.append("</title><style>body{font:12px monospace}rect{stroke:#fff;stroke-width:.5}");
    page.append("text{pointer-events:none}</style></head><body><h1>");
    page.append(escaped(title)).append("</h1><p>").append(all.samples);
    page.append(
        " samples of threads that ran Java code. Point at a box for its name and share.</p>");
    page.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"").append(WIDTH);
    page.append("\" height=\"").append(height).append("\">\n");
    box(page, "all", all, 0, WIDTH, 0);
    return page.append("</svg></body></html>\n").toString();
  }

  private void box(
      StringBuilder page, String name, Frame frame, double left, double width, int depth) {
    String share =
        String.format(
            Locale.ROOT, "%.1f %%, %d samples", 100.0 * frame.samples / all.samples, frame.samples);
    int top = depth * ROW;
    page.append(
        String.format(
            Locale.ROOT,
            "<g><title>%s (%s)</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\""
                + " fill=\"%s\"/>",
            escaped(name),
            share,
            left,
            top,
            width,
            ROW - 1,
            colour(name)));
    int characters = (int) (width / PIXELS_A_CHARACTER) - 1;
    if (characters > 3) {
      String label = label(name, characters);
      page.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%d\">%s</text>",
              left + 2,
              top + 12,
              escaped(label)));
    }
    page.append("</g>\n");
    List<String> names = new ArrayList<>(frame.calls.keySet());
    names.sort(Comparator.comparingLong(one -> -samplesOf(frame, one)));
    double at = left;
    for (String one : names) {
      double share2 = width * samplesOf(frame, one) / frame.samples;
      if (share2 >= MIN_PIXELS) {
        Frame call = frame.calls.get(one);
        if (call != null) {
          box(page, one, call, at, share2, depth + 1);
        }
      }
      at += share2;
    }
  }

  private static long samplesOf(Frame frame, String name) {
    Frame call = frame.calls.get(name);
    return call == null ? 0 : call.samples;
  }

  /** The end of a name says more than its beginning. */
  private static String label(String name, int characters) {
    return name.length() <= characters
        ? name
        : ".." + name.substring(name.length() - Math.max(1, characters - 2));
  }

  /** One colour for each package, so that layers can be told apart. */
  private static String colour(String name) {
    int dot = name.lastIndexOf('.', Math.max(0, name.lastIndexOf('.') - 1));
    int hue = Math.floorMod((dot < 0 ? name : name.substring(0, dot)).hashCode(), 60);
    return "hsl(" + hue + ",80%,70%)";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
