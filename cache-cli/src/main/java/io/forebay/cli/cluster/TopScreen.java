package io.forebay.cli.cluster;

import io.forebay.cli.console.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The table of {@code cluster top}: the cluster in the first line, then a line for each node. */
final class TopScreen {
  /** Of a name or a group. */
  private static final int MAX_NAME = 20;

  private final Output output;
  private final int width;
  private final int height;

  /**
   * A screen.
   *
   * @param width columns; what is beyond them is cut off
   * @param height lines, at least; the last nodes are left out if there are more
   */
  TopScreen(Output output, int width, int height) {
    this.output = output;
    this.width = width;
    this.height = height;
  }

  List<String> lines(TopReport report) {
    List<String> lines = new ArrayList<>();
    lines.add(cut("cluster " + report.cluster() + ", newest purge at revision " + report.newest()));
    int names = widest("NODE", report, TopReport.Node::name);
    int groups = widest("GROUP", report, TopReport.Node::group);
    String format = "%-" + names + "s %-" + groups + "s %-9s%8s %6s %6s %7s %7s %6s %4s %6s";
    lines.add(
        output.faint(
            row(
                format,
                List.of(
                    "NODE", "GROUP", "STATE", "REQ/S", "HIT %", "BYTE %", "GBIT/S", "ORIG/S",
                    "ERR/S", "PEND", "BEHIND"))));
    List<String> last = last(report);
    List<TopReport.Node> nodes = report.nodes();
    boolean isAnyKnown = nodes.stream().anyMatch(TopReport.Node::hasRates);
    lines.add(
        output.strong(
            row(
                format,
                "all",
                "",
                report.ready() + " of " + nodes.size(),
                isAnyKnown ? report.rates() : null,
                report.pending(),
                report.behind())));
    int shown = 0;
    for (TopReport.Node node : nodes) {
      List<String> ofNode = lines(format, node);
      boolean isLast = shown == nodes.size() - 1;
      if (lines.size() + ofNode.size() + last.size() + (isLast ? 0 : 1) > height) {
        break;
      }
      lines.addAll(ofNode);
      shown++;
    }
    if (shown < nodes.size()) {
      lines.add(cut((nodes.size() - shown) + " more"));
    }
    lines.addAll(last);
    return lines;
  }

  private List<String> lines(String format, TopReport.Node node) {
    String line =
        row(
            format,
            shortened(node.name()),
            shortened(node.group()),
            node.state(),
            node.told(),
            node.pending(),
            node.behind());
    List<String> lines = new ArrayList<>();
    lines.add(node.isReady() || node.state().equals("drains") ? line : output.bad(line));
    if (!node.notReady().isEmpty()) {
      lines.add(cut("  not ready: " + String.join(", ", node.notReady())));
    }
    String problem = node.problem();
    if (problem != null) {
      lines.add(cut("  " + problem));
    }
    return lines;
  }

  /** What stands below the nodes. */
  private List<String> last(TopReport report) {
    List<String> lines = new ArrayList<>();
    List<String> missing = report.missing();
    if (!missing.isEmpty()) {
      lines.add(output.bad(cut("sums are without " + String.join(", ", missing))));
    }
    String problem = report.problem();
    if (problem != null) {
      lines.add(output.bad(cut("this node: " + problem)));
    }
    return lines;
  }

  private String row(
      String format,
      String name,
      String group,
      String state,
      @Nullable NodeRates rates,
      long pending,
      long behind) {
    return row(
        format,
        List.of(
            name,
            group,
            state,
            rates == null ? "?" : rate(rates.clientRequests()),
            rates == null ? "?" : percent(rates.hitRatio()),
            rates == null ? "?" : percent(rates.byteHitRatio()),
            rates == null ? "?" : number("%.3f", rates.clientBytes() * 8 / 1e9),
            rates == null ? "?" : rate(rates.originRequests()),
            rates == null ? "?" : rate(rates.errors()),
            pending < 0 ? "?" : Long.toString(pending),
            behind < 0 ? "?" : Long.toString(behind)));
  }

  private String row(String format, List<String> cells) {
    return cut(String.format(Locale.ROOT, format, cells.toArray()));
  }

  private String cut(String line) {
    return line.length() > width ? line.substring(0, width) : line;
  }

  private static int widest(
      String heading, TopReport report, Function<TopReport.Node, String> text) {
    return report.nodes().stream()
        .mapToInt(node -> shortened(text.apply(node)).length())
        .reduce(heading.length(), Math::max);
  }

  private static String shortened(String text) {
    return text.length() > MAX_NAME ? text.substring(0, MAX_NAME - 1) + "~" : text;
  }

  private static String rate(double value) {
    return number(value < 99.95 ? "%.1f" : "%.0f", value);
  }

  /** Nothing was asked for: no share of it. */
  private static String percent(double share) {
    return Double.isNaN(share) ? "-" : number("%.1f", share * 100);
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
