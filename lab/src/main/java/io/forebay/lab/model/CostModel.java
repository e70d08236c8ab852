package io.forebay.lab.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What a server costs over its life, and its traffic with it: (price + kW × PUE × 8760 × years ×
 * $/kWh + rack units × $ × years) ÷ (Gbit/s × average to peak × time).
 *
 * @param dollarsPerKilowattHour of electricity
 * @param powerUsageEffectiveness of the building
 * @param dollarsPerRackUnitYear of room
 * @param averageToPeak traffic over time beside its peak, above 0 to 1
 * @param years of service
 * @param rackKilowatts that a rack takes
 * @param rackUnits of a rack
 */
public record CostModel(
    double dollarsPerKilowattHour,
    double powerUsageEffectiveness,
    double dollarsPerRackUnitYear,
    double averageToPeak,
    double years,
    double rackKilowatts,
    int rackUnits) {

  /** AT&amp;T's constants; the height of a rack is the usual one. */
  public static final CostModel PUBLISHED = new CostModel(0.12, 1.3, 75.76, 0.5, 5, 10, 42);

  /** The server that all others are compared with. */
  public static final String DRAM = "DRAM";

  private static final String DUT1 = "DUT1";
  private static final String DUT2 = "DUT2";
  private static final String THIRD = "3rd generation";

  /** Two sockets of AT&amp;T's third generation, TLS. */
  private static final double THIRD_GIGABITS = 2 * 168.7;

  /** Throughput of DUT1 and DUT2 beside DRAM. */
  private static final double DUT_GAIN = 1.28;

  private static final double PUBLISHED_THIRD_CHANGE = -0.72;
  private static final double HOURS = 8760;
  private static final double HOUR_SECONDS = 3600;
  private static final double GIGABITS_PER_TERABYTE = 8000;
  private static final double CENTS = 100;

  /**
   * AT&amp;T's servers. Prices and watts are published, Gbit/s only of the third generation: those
   * of DRAM are what 72 % lower cost implies ({@link #impliedGigabits}), those of DUT1 and DUT2 are
   * 28 % more. Two rack units each are assumed.
   */
  public static final List<Machine> PUBLISHED_MACHINES = published();

  public CostModel {
    Positive.check("$ per kWh", dollarsPerKilowattHour);
    Positive.check("PUE", powerUsageEffectiveness);
    Positive.check("$ per rack unit and year", dollarsPerRackUnitYear);
    Positive.check("average to peak", averageToPeak);
    Positive.check("years", years);
    Positive.check("kW of a rack", rackKilowatts);
    Positive.check("rack units of a rack", rackUnits);
    if (averageToPeak > 1) {
      throw new IllegalArgumentException(
          "average to peak, " + averageToPeak + ": write a number above 0 and at most 1");
    }
  }

  /**
   * A server to buy.
   *
   * @param dollars its price
   * @param kilowatts that it takes
   * @param gigabits a second at its peak
   * @param rackUnits of its height
   */
  public record Machine(
      String name, double dollars, double kilowatts, double gigabits, int rackUnits) {

    public Machine {
      Positive.check("price of " + name, dollars);
      Positive.check("kW of " + name, kilowatts);
      Positive.check("Gbit/s of " + name, gigabits);
      Positive.check("rack units of " + name, rackUnits);
    }
  }

  /**
   * What a server costs.
   *
   * @param power of all years
   * @param room of all years
   * @param total with the price
   * @param dollarsPerGigabit of a second at the peak
   * @param centsPerTerabyte that is delivered
   * @param change of cents per TB from the first server of the list, 0 for none
   */
  public record Cost(
      String name,
      double dollars,
      double kilowatts,
      double gigabits,
      double power,
      double room,
      double total,
      double dollarsPerGigabit,
      double centsPerTerabyte,
      double change,
      int serversPerRack) {}

  /** Costs of servers; the first one is what others are compared with. */
  public List<Cost> of(List<Machine> machines) {
    return machines.stream().map(machine -> cost(machine, machines.getFirst())).toList();
  }

  private Cost cost(Machine machine, Machine base) {
    double total = total(machine);
    double perTerabyte = centsPerTerabyte(machine);
    return new Cost(
        machine.name,
        machine.dollars,
        machine.kilowatts,
        machine.gigabits,
        power(machine),
        room(machine),
        total,
        total / machine.gigabits,
        perTerabyte,
        perTerabyte / centsPerTerabyte(base) - 1,
        serversPerRack(machine));
  }

  private double power(Machine machine) {
    return machine.kilowatts * powerUsageEffectiveness * HOURS * years * dollarsPerKilowattHour;
  }

  private double room(Machine machine) {
    return machine.rackUnits * dollarsPerRackUnitYear * years;
  }

  private double total(Machine machine) {
    return machine.dollars + power(machine) + room(machine);
  }

  private double centsPerTerabyte(Machine machine) {
    double seconds = HOURS * HOUR_SECONDS * years;
    double terabytes = machine.gigabits * averageToPeak * seconds / GIGABITS_PER_TERABYTE;
    return total(machine) * CENTS / terabytes;
  }

  private int serversPerRack(Machine machine) {
    return Math.min((int) (rackKilowatts / machine.kilowatts), rackUnits / machine.rackUnits);
  }

  /** Gbit/s that a server needs for its cost of traffic to be a known change from another's. */
  public double impliedGigabits(Machine machine, Machine other, double changeOfOther) {
    return other.gigabits * (1 + changeOfOther) * total(machine) / total(other);
  }

  /** The published comparisons; none where a server of those was taken away. */
  public List<Discrepancy> discrepancies(List<Machine> machines) {
    List<Discrepancy> discrepancies = new ArrayList<>();
    Optional<Machine> dram = named(machines, DRAM);
    Optional<Machine> first = named(machines, DUT1);
    Optional<Machine> second = named(machines, DUT2);
    Optional<Machine> third = named(machines, THIRD);
    if (dram.isPresent() && first.isPresent()) {
      discrepancies.add(
          compared(
              first.get(),
              dram.get(),
              "-30 %",
              "2 rack units a server, and 28 % more Gbit/s as published"));
    }
    if (first.isPresent() && second.isPresent()) {
      discrepancies.add(
          compared(
              second.get(),
              first.get(),
              "+14 %",
              "both at the same Gbit/s; +14 % needs 6 % more of them for DUT2"));
    }
    if (dram.isPresent() && third.isPresent()) {
      double implied = impliedGigabits(dram.get(), third.get(), PUBLISHED_THIRD_CHANGE);
      discrepancies.add(
          compared(
              third.get(),
              dram.get(),
              "-72 %",
              String.format(
                  Locale.ROOT,
                  "needs %.1f times the Gbit/s of DRAM: %.0f Gbit/s a DRAM server, beside the"
                      + " published 2 x 168.7",
                  third.get().gigabits / implied,
                  implied)));
    }
    for (Machine machine : machines) {
      if (PUBLISHED_MACHINES.contains(machine) && serversPerRack(machine) != 8) {
        discrepancies.add(
            new Discrepancy(
                "servers a rack, " + machine.name,
                "8",
                Integer.toString(serversPerRack(machine)),
                String.format(
                    Locale.ROOT,
                    "the paper has 8 of all servers: %.2f kW each of %.0f kW",
                    rackKilowatts / 8,
                    rackKilowatts)));
      }
    }
    return discrepancies;
  }

  private Discrepancy compared(Machine machine, Machine base, String published, String assumption) {
    return new Discrepancy(
        "cost per TB, " + machine.name + " against " + base.name,
        published,
        String.format(
            Locale.ROOT,
            "%+.0f %%",
            (centsPerTerabyte(machine) / centsPerTerabyte(base) - 1) * 100),
        assumption);
  }

  private static Optional<Machine> named(List<Machine> machines, String name) {
    return machines.stream().filter(machine -> machine.name.equals(name)).findFirst();
  }

  private static List<Machine> published() {
    Machine third = new Machine(THIRD, 30_068, 1.26, THIRD_GIGABITS, 2);
    Machine unknown = new Machine(DRAM, 25_053, 1.1, 1, 2);
    double gigabits = PUBLISHED.impliedGigabits(unknown, third, PUBLISHED_THIRD_CHANGE);
    return List.of(
        new Machine(DRAM, unknown.dollars, unknown.kilowatts, gigabits, unknown.rackUnits),
        new Machine(DUT1, 21_032, 1.1, gigabits * DUT_GAIN, 2),
        new Machine(DUT2, 26_868, 1.16, gigabits * DUT_GAIN, 2),
        third);
  }
}
