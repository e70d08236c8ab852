package io.forebay.lab.model;

import java.util.List;
import java.util.Locale;

/**
 * How many servers, racks and megawatts carry the traffic of a fleet. Racks are bound by power.
 *
 * @param racks of the fleet, full of the first server of the list
 * @param rackKilowatts that a rack takes
 */
public record FleetModel(int racks, double rackKilowatts) {

  /** 200 racks as published; kW of a rack are what the published megawatt implies. */
  public static final FleetModel PUBLISHED = new FleetModel(200, 7.8);

  /** Servers of the Xeon 6 test, live, best of three numbers of connections. */
  public static final List<Machine> PUBLISHED_MACHINES =
      List.of(
          new Machine("1 x 6252N", 154.18, 0.54),
          new Machine("1 x 6710E", 549.84, 1.34),
          new Machine("1 x 6766E", 780.24, 1.57),
          new Machine("1 x 6780E", 786.47, 1.30),
          new Machine("2 x 6780E", 1553.62, 1.42));

  private static final double PUBLISHED_RACKS = 72;
  private static final double BEST_OF_TWO_CPUS = 1.53;
  private static final double WATTS = 1000;
  private static final int MAX_RACKS = 1_000_000;

  public FleetModel {
    Positive.check("kW of a rack", rackKilowatts);
    if (racks < 1 || racks > MAX_RACKS) {
      throw new IllegalArgumentException(racks + " racks: write 1 to " + MAX_RACKS);
    }
  }

  /** A server by its throughput and by what a watt brings. */
  public record Machine(String name, double gigabits, double gigabitsPerWatt) {

    public Machine {
      Positive.check("Gbit/s of " + name, gigabits);
      Positive.check("Gbit/s per W of " + name, gigabitsPerWatt);
    }

    double watts() {
      return gigabits / gigabitsPerWatt;
    }
  }

  /**
   * A fleet that carries the same traffic.
   *
   * @param watts of a server
   * @param exactRacks before they are rounded up
   * @param megawatts that servers take
   * @param savedMegawatts beside the first server of the list
   */
  public record Fleet(
      String name,
      double gigabits,
      double gigabitsPerWatt,
      double watts,
      long servers,
      long racks,
      double exactRacks,
      double megawatts,
      double savedMegawatts) {}

  /** Fleets; the first server is what the racks are full of today. */
  public List<Fleet> of(List<Machine> machines) {
    Machine today = machines.getFirst();
    double megawatts = racks * rackKilowatts / WATTS;
    double traffic = megawatts * 1e6 * today.gigabitsPerWatt;
    return machines.stream()
        .map(machine -> {
          double needed = traffic / machine.gigabitsPerWatt / 1e6;
          return new Fleet(
              machine.name,
              machine.gigabits,
              machine.gigabitsPerWatt,
              machine.watts(),
              up(traffic / machine.gigabits),
              up(racksFor(today, machine)),
              racksFor(today, machine),
              needed,
              megawatts - needed);
        })
        .toList();
  }

  private double racksFor(Machine today, Machine machine) {
    return racks * today.gigabitsPerWatt / machine.gigabitsPerWatt;
  }

  /** A whole number, where a thousandth above one is rounding. */
  private static long up(double value) {
    return (long) Math.ceil(value - 1e-3);
  }

  /** What the published 72 racks and 1 MW take to come out. */
  public List<Discrepancy> discrepancies(List<Machine> machines) {
    double ratio = racks / PUBLISHED_RACKS;
    double today = machines.getFirst().gigabitsPerWatt;
    double saved = (racks - PUBLISHED_RACKS) * rackKilowatts / WATTS;
    return List.of(
        new Discrepancy(
            "racks instead of " + racks,
            "72",
            String.format(
                Locale.ROOT, "%d with the best of two CPUs", up(racks * today / BEST_OF_TWO_CPUS)),
            String.format(
                Locale.ROOT,
                "racks are bound by power: 72 needs %.2f times the Gbit/s per W, %.2f on %.2f; the"
                    + " two-CPU 6252N, of which no figure is at hand, gives it with %.2f beside"
                    + " %.2f",
                ratio,
                today * ratio,
                today,
                BEST_OF_TWO_CPUS / ratio,
                BEST_OF_TWO_CPUS)),
        new Discrepancy(
            "saved power",
            "1 MW",
            String.format(Locale.ROOT, "%.2f MW with 72 racks", saved),
            String.format(
                Locale.ROOT,
                "no kW of a rack are published: 1 MW is %.1f kW a rack, servers alone",
                WATTS / (racks - PUBLISHED_RACKS))));
  }
}
