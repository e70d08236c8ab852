package io.forebay.lab.command;

import static io.forebay.lab.command.Columns.change;
import static io.forebay.lab.command.Columns.number;

import io.forebay.lab.model.CostModel;
import io.forebay.lab.model.CostModel.Cost;
import io.forebay.lab.model.EnduranceModel;
import io.forebay.lab.model.EnduranceModel.Wear;
import io.forebay.lab.model.FleetModel;
import io.forebay.lab.model.FleetModel.Fleet;
import io.forebay.lab.model.MeasuredServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints what servers cost with their power and room, beside their traffic. */
@Command(
    name = "tco",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    header = "Reckon costs per TB, servers and megawatts of a fleet, and wear.",
    description = {
      "",
      "(price + kW * PUE * 8760 * years * $/kWh + rack units * $ * years)"
          + " / (Gbit/s * average to peak * time), of AT&T's servers and of yours; the fleet of the"
          + " Xeon 6 test; drive writes a day. All constants are the published ones by default.",
      ""
    },
    footer = {
      "",
      "Example:",
      "  forebay lab tco --server-cost 18000 --watts 650 --gbps 320 --rack-units 1",
      "  forebay lab tco --server-cost 18000 --from lab-results/2026-11-27T01-00-00Z --step live-100"
    })
final class TcoCommand implements Callable<Integer> {
  private static final String YOURS = "yours";
  private static final int MIN_FIELDS = 3;
  private static final int MAX_FIELDS = 4;
  private static final int DEFAULT_RACK_UNITS = 2;
  private static final double WATTS = 1000;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Option(names = "--server-cost", paramLabel = "$", description = "Price of a server of yours.")
  private @Nullable Double serverCost;

  @Option(names = "--watts", paramLabel = "W", description = "Of a server of yours, at its peak.")
  private @Nullable Double watts;

  @Option(names = "--gbps", paramLabel = "N", description = "Gbit/s of a server of yours.")
  private @Nullable Double gigabits;

  @Option(
      names = "--rack-units",
      paramLabel = "N",
      defaultValue = "2",
      description = "Of a server of yours.")
  private int rackUnits;

  @ArgGroup(exclusive = false, heading = "Measured instead of --gbps and --watts:%n")
  private @Nullable MeasuredOptions measured;

  @Option(
      names = "--server",
      paramLabel = "NAME=$,KW,GBPS[,RU]",
      description =
          "One more server, or another one in place of the published one of that name: DRAM, DUT1,"
              + " DUT2, \"3rd generation\". Can be repeated.")
  private List<String> servers = new ArrayList<>();

  @Option(names = "--years", paramLabel = "N", defaultValue = "5", description = "Of service.")
  private double years;

  @Option(
      names = "--price-per-kwh",
      paramLabel = "$",
      defaultValue = "0.12",
      description = "Of electricity.")
  private double dollarsPerKilowattHour;

  @Option(names = "--pue", paramLabel = "N", defaultValue = "1.3", description = "Of the building.")
  private double powerUsageEffectiveness;

  @Option(
      names = "--rack-unit-year",
      paramLabel = "$",
      defaultValue = "75.76",
      description = "Room for a rack unit and year.")
  private double dollarsPerRackUnitYear;

  @Option(
      names = "--average-to-peak",
      paramLabel = "SHARE",
      defaultValue = "0.5",
      description = "Traffic over time beside its peak.")
  private double averageToPeak;

  @Option(
      names = "--rack-kw",
      paramLabel = "KW",
      defaultValue = "10",
      description = "That a rack takes.")
  private double rackKilowatts;

  @Option(
      names = "--rack-height",
      paramLabel = "N",
      defaultValue = "42",
      description = "Rack units of a rack.")
  private int rackHeight;

  @Option(
      names = "--fleet-racks",
      paramLabel = "N",
      defaultValue = "200",
      description = "Racks of the fleet to replace.")
  private int fleetRacks;

  @Option(
      names = "--fleet-rack-kw",
      paramLabel = "KW",
      defaultValue = "7.8",
      description = "That a rack of the fleet takes; implied by the published megawatt.")
  private double fleetRackKilowatts;

  @Option(
      names = "--fleet-gbps",
      paramLabel = "N",
      defaultValue = "154.18",
      description = "Gbit/s of a server of the fleet.")
  private double fleetGigabits;

  @Option(
      names = "--fleet-gbps-per-watt",
      paramLabel = "N",
      defaultValue = "0.54",
      description = "Gbit/s per W of a server of the fleet.")
  private double fleetGigabitsPerWatt;

  @Option(
      names = "--drive-gb",
      paramLabel = "GB",
      description = "Size of a drive of yours; with --drive-pbw.")
  private @Nullable Double driveGigabytes;

  @Option(
      names = "--drive-pbw",
      paramLabel = "PB",
      description = "That a drive of yours is rated for.")
  private @Nullable Double drivePetabytes;

  @Option(
      names = "--drive-written-pb",
      paramLabel = "PB",
      defaultValue = "0",
      description = "That were written to a drive of yours so far.")
  private double driveWrittenPetabytes;

  @Option(
      names = "--drive-gb-per-day",
      paramLabel = "GB",
      description =
          "Written to a drive of yours; by default what --from has of all disks, else"
              + " --rewrites-per-day times its size.")
  private @Nullable Double driveGigabytesPerDay;

  @Option(
      names = "--rewrites-per-day",
      paramLabel = "N",
      defaultValue = "240",
      description = "How often a full live buffer of 6 minutes is written anew.")
  private double rewritesPerDay;

  @Option(names = "--json", description = "Print JSON.")
  private boolean isJson;

  TcoCommand() {}

  @Override
  public Integer call() {
    try {
      print(measured == null ? null : read(measured));
      return LabExit.OK;
    } catch (IOException e) {
      spec.commandLine().getErr().println("forebay lab tco: " + e.getMessage());
      return LabExit.FAILURE;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private MeasuredServer read(MeasuredOptions options) throws IOException {
    if (gigabits != null) {
      throw new IllegalArgumentException("--from and --gbps both tell Gbit/s: write one of them");
    }
    if (serverCost == null) {
      throw new IllegalArgumentException("--from needs --server-cost: no run measures a price");
    }
    MeasuredServer server =
        options.read(watts == null ? OptionalDouble.empty() : OptionalDouble.of(watts));
    if (driveGigabytesPerDay == null) {
      driveGigabytesPerDay = server.diskGigabytes().value();
    }
    gigabits = server.gigabits().value();
    watts = server.watts().value();
    return server;
  }

  private void print(@Nullable MeasuredServer server) {
    CostModel costs =
        new CostModel(
            dollarsPerKilowattHour,
            powerUsageEffectiveness,
            dollarsPerRackUnitYear,
            averageToPeak,
            years,
            rackKilowatts,
            rackHeight);
    List<CostModel.Machine> machines = machines();
    FleetModel fleet = new FleetModel(fleetRacks, fleetRackKilowatts);
    List<FleetModel.Machine> fleetMachines = fleetMachines();
    List<Wear> wear = wear();
    ModelPrinter printer = new ModelPrinter(spec.commandLine().getOut());
    if (isJson) {
      Map<String, Object> report = new LinkedHashMap<>();
      if (server != null) {
        report.put("measuredStep", server.step());
        report.put("measured", server.inputs());
      }
      report.put("constants", costs);
      report.put("costs", costs.of(machines));
      report.put("costDiscrepancies", costs.discrepancies(machines));
      report.put("fleet", fleet);
      report.put("fleets", fleet.of(fleetMachines));
      report.put("fleetDiscrepancies", fleet.discrepancies(fleetMachines));
      report.put("endurance", wear);
      printer.json(report);
      return;
    }
    if (server != null) {
      printer.heading("Measured: " + server.step());
      printer.table(inputTable(server));
    }
    printer.heading(
        "Costs of %s years: $%s a kWh, PUE %s, $%s a rack unit and year, average/peak %s"
            .formatted(
                number(years, 0),
                number(dollarsPerKilowattHour, 2),
                number(powerUsageEffectiveness, 2),
                number(dollarsPerRackUnitYear, 2),
                number(averageToPeak, 2)));
    printer.table(costTable(costs.of(machines)));
    printer.discrepancies(costs.discrepancies(machines));
    printer.heading(
        "Fleet: the traffic of %d racks of %s kW full of %s, live"
            .formatted(fleetRacks, number(fleetRackKilowatts, 1), fleetMachines.getFirst().name()));
    printer.table(fleetTable(fleet.of(fleetMachines)));
    printer.discrepancies(fleet.discrepancies(fleetMachines));
    printer.heading("Wear: drive writes a day (DWPD) and years left");
    printer.table(wearTable(wear));
    printer.discrepancies(List.of());
  }

  private List<CostModel.Machine> machines() {
    Map<String, CostModel.Machine> machines = new LinkedHashMap<>();
    CostModel.PUBLISHED_MACHINES.forEach(machine -> machines.put(machine.name(), machine));
    servers.stream().map(TcoCommand::machine).forEach(one -> machines.put(one.name(), one));
    if (serverCost != null) {
      if (watts == null || gigabits == null) {
        throw new IllegalArgumentException("--server-cost needs --watts and --gbps as well");
      }
      machines.put(
          YOURS, new CostModel.Machine(YOURS, serverCost, watts / WATTS, gigabits, rackUnits));
    }
    return List.copyOf(machines.values());
  }

  private static CostModel.Machine machine(String text) {
    int equals = text.indexOf('=');
    String[] fields = text.substring(equals + 1).split(",", -1);
    if (equals < 1 || fields.length < MIN_FIELDS || fields.length > MAX_FIELDS) {
      throw new IllegalArgumentException(
          "--server " + text + ": write NAME=$,KW,GBPS[,RU], such as edge=18000,0.65,320,1");
    }
    try {
      return new CostModel.Machine(
          text.substring(0, equals),
          Double.parseDouble(fields[0]),
          Double.parseDouble(fields[1]),
          Double.parseDouble(fields[2]),
          fields.length == MAX_FIELDS ? Integer.parseInt(fields[MIN_FIELDS]) : DEFAULT_RACK_UNITS);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--server " + text + ": write numbers behind =", e);
    }
  }

  private List<FleetModel.Machine> fleetMachines() {
    List<FleetModel.Machine> machines = new ArrayList<>(FleetModel.PUBLISHED_MACHINES);
    FleetModel.Machine first = machines.getFirst();
    if (first.gigabits() != fleetGigabits || first.gigabitsPerWatt() != fleetGigabitsPerWatt) {
      machines.set(0, new FleetModel.Machine("today", fleetGigabits, fleetGigabitsPerWatt));
    }
    if (watts != null && gigabits != null) {
      machines.add(new FleetModel.Machine(YOURS, gigabits, gigabits / watts));
    }
    return machines;
  }

  private List<Wear> wear() {
    List<Wear> wear = new ArrayList<>(EnduranceModel.at(EnduranceModel.PUBLISHED, rewritesPerDay));
    if (driveGigabytes != null && drivePetabytes != null) {
      EnduranceModel drive = new EnduranceModel(YOURS, driveGigabytes, drivePetabytes, years);
      double perDay =
          driveGigabytesPerDay == null ? driveGigabytes * rewritesPerDay : driveGigabytesPerDay;
      wear.add(drive.at(perDay, driveWrittenPetabytes));
    } else if (driveGigabytes != null || drivePetabytes != null) {
      throw new IllegalArgumentException("--drive-gb and --drive-pbw go together: write both");
    }
    return wear;
  }

  private static Columns inputTable(MeasuredServer server) {
    Columns columns = new Columns("yours", "value", "unit");
    for (MeasuredServer.Input input : server.inputs()) {
      columns.row(input.name() + ": " + input.source(), number(input.value(), 3), input.unit());
    }
    return columns;
  }

  private static Columns costTable(List<Cost> costs) {
    Columns columns =
        new Columns(
            "server",
            "price $",
            "power $",
            "room $",
            "total $",
            "Gbit/s",
            "$/(Gbit/s)",
            "c/TB",
            "c/TB to first",
            "a rack");
    for (Cost cost : costs) {
      columns.row(
          cost.name(),
          number(cost.dollars(), 0),
          number(cost.power(), 0),
          number(cost.room(), 0),
          number(cost.total(), 0),
          number(cost.gigabits(), 1),
          number(cost.dollarsPerGigabit(), 0),
          number(cost.centsPerTerabyte(), 2),
          change(cost.change()),
          Integer.toString(cost.serversPerRack()));
    }
    return columns;
  }

  private static Columns fleetTable(List<Fleet> fleets) {
    Columns columns =
        new Columns("server", "Gbit/s", "Gbit/s/W", "W", "servers", "racks", "MW", "MW saved");
    for (Fleet fleet : fleets) {
      columns.row(
          fleet.name(),
          number(fleet.gigabits(), 1),
          number(fleet.gigabitsPerWatt(), 2),
          number(fleet.watts(), 0),
          number((double) fleet.servers(), 0),
          number((double) fleet.racks(), 0),
          number(fleet.megawatts(), 2),
          number(fleet.savedMegawatts(), 2));
    }
    return columns;
  }

  private static Columns wearTable(List<Wear> wear) {
    Columns columns = new Columns("drive", "PBW", "rated DWPD", "DWPD", "years left");
    for (Wear row : wear) {
      columns.row(
          row.name(),
          number(row.petabytesWritten(), 1),
          number(row.ratedPerDay(), 1),
          number(row.perDay(), 1),
          number(row.yearsLeft(), 2));
    }
    return columns;
  }
}
