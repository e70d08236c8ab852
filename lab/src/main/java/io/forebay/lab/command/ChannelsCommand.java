package io.forebay.lab.command;

import static io.forebay.lab.command.Columns.number;

import io.forebay.lab.model.ChannelModel;
import io.forebay.lab.model.ChannelModel.Cache;
import io.forebay.lab.model.ChannelModel.Channels;
import io.forebay.lab.model.Discrepancy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints how many live channels a cache holds. */
@Command(
    name = "channels",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    header = "Reckon how many live channels a cache holds.",
    description = {
      "",
      "cache / segment set / segments, of AT&T's servers and of yours. GB and MB are 10^9 and 10^6"
          + " bytes.",
      ""
    },
    footer = {"", "Example:", "  forebay lab channels --cache-gb 1200 --vms 1"})
final class ChannelsCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Option(
      names = "--cache-gb",
      paramLabel = "GB",
      description = "Cache of a server of yours, as a row more.")
  private @Nullable Double cacheGigabytes;

  @Option(
      names = "--segment-set-mb",
      paramLabel = "MB",
      defaultValue = "25",
      description = "One segment of a channel in all renditions.")
  private double segmentSetMegabytes;

  @Option(
      names = "--segments",
      paramLabel = "N",
      defaultValue = "60",
      description = "In the buffer of a channel.")
  private int segments;

  @Option(
      names = "--segment-seconds",
      paramLabel = "S",
      defaultValue = "6",
      description = "Length of a segment.")
  private int segmentSeconds;

  @Option(names = "--sockets", paramLabel = "N", defaultValue = "2", description = "Of a server.")
  private int sockets;

  @Option(
      names = "--vms",
      paramLabel = "N",
      defaultValue = "4",
      description = "Virtual machines of a server.")
  private int machines;

  @Option(names = "--json", description = "Print JSON.")
  private boolean isJson;

  ChannelsCommand() {}

  @Override
  public Integer call() {
    try {
      ChannelModel model =
          new ChannelModel(segmentSetMegabytes, segments, segmentSeconds, sockets, machines);
      List<Cache> caches = new ArrayList<>(ChannelModel.PUBLISHED_CACHES);
      if (cacheGigabytes != null) {
        caches.add(new Cache("yours", cacheGigabytes, null));
      }
      print(model, caches);
      return LabExit.OK;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private void print(ChannelModel model, List<Cache> caches) {
    List<Channels> rows = caches.stream().map(model::of).toList();
    List<Discrepancy> discrepancies = model.discrepancies(caches);
    ModelPrinter printer = new ModelPrinter(spec.commandLine().getOut());
    if (isJson) {
      printer.json(Map.of("constants", model, "channels", rows, "discrepancies", discrepancies));
      return;
    }
    printer.heading(
        "Channels: cache / %s MB / %d segments (%s minutes, written anew %s times a day)"
            .formatted(
                number(segmentSetMegabytes, 1),
                segments,
                number(segments * segmentSeconds / 60.0, 1),
                number(rows.getFirst().rewritesPerDay(), 0)));
    Columns columns =
        new Columns("server", "cache GB", "a server", "a socket", "a VM", "a VM, published");
    for (Channels row : rows) {
      Double published = row.publishedPerMachine();
      columns.row(
          row.name(),
          number(row.gigabytes(), 0),
          number(row.perServer(), 0),
          number(row.perSocket(), 0),
          number(row.perMachine(), 0),
          published == null ? "-" : number(published, 0));
    }
    printer.table(columns);
    printer.discrepancies(discrepancies);
  }
}
