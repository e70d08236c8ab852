package io.forebay.lab.model;

import java.util.ArrayList;
import java.util.List;

/**
 * How fast a device wears.
 *
 * @param gigabytes of the device
 * @param petabytesWritten that it is rated for
 * @param years of that rating
 */
public record EnduranceModel(String name, double gigabytes, double petabytesWritten, double years) {
  static final double DAY_SECONDS = 86_400;

  private static final double YEAR_DAYS = 365;
  private static final double GIGABYTES = 1e6;
  private static final double RATED_YEARS = 5;

  /**
   * AT&amp;T's: modules of 128 GB, sequential and random writes, and flash of 3.84 TB rated for 3
   * and 5 drive writes a day. The sizes of module and flash are assumed.
   */
  public static final List<EnduranceModel> PUBLISHED =
      List.of(
          new EnduranceModel("PMem 128 GB, 292 PBW", 128, 292, RATED_YEARS),
          new EnduranceModel("PMem 128 GB, 91 PBW", 128, 91, RATED_YEARS),
          ofDailyWrites("NAND 3.84 TB, 5 DWPD", 3840, 5),
          ofDailyWrites("NAND 3.84 TB, 3 DWPD", 3840, 3));

  public EnduranceModel {
    Positive.check("GB of " + name, gigabytes);
    Positive.check("PBW of " + name, petabytesWritten);
    Positive.check("years of " + name, years);
  }

  /** A device by its rated drive writes a day. */
  static EnduranceModel ofDailyWrites(String name, double gigabytes, double writesPerDay) {
    double petabytes = gigabytes * writesPerDay * YEAR_DAYS * RATED_YEARS / GIGABYTES;
    return new EnduranceModel(name, gigabytes, petabytes, RATED_YEARS);
  }

  /**
   * Wear of a device.
   *
   * @param ratedPerDay drive writes a day that it is rated for
   * @param perDay drive writes a day that it gets
   * @param yearsLeft at that rate; infinite where nothing is written
   */
  public record Wear(
      String name,
      double gigabytes,
      double petabytesWritten,
      double ratedPerDay,
      double perDay,
      double yearsLeft) {}

  /**
   * Wear at a rate.
   *
   * @param gigabytesPerDay that are written
   * @param writtenPetabytes so far
   */
  public Wear at(double gigabytesPerDay, double writtenPetabytes) {
    double left = Math.max(0, petabytesWritten - writtenPetabytes) * GIGABYTES;
    return new Wear(
        name,
        gigabytes,
        petabytesWritten,
        petabytesWritten * GIGABYTES / gigabytes / YEAR_DAYS / years,
        gigabytesPerDay / gigabytes,
        gigabytesPerDay > 0 ? left / gigabytesPerDay / YEAR_DAYS : Double.POSITIVE_INFINITY);
  }

  /** Wear of all devices by one rate of rewriting, such as a live buffer's. */
  public static List<Wear> at(List<EnduranceModel> devices, double rewritesPerDay) {
    List<Wear> wear = new ArrayList<>();
    devices.forEach(device -> wear.add(device.at(device.gigabytes * rewritesPerDay, 0)));
    return List.copyOf(wear);
  }
}
