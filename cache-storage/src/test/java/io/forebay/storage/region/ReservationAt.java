package io.forebay.storage.region;

/** Creates reservations at a place selected by the test. */
public final class ReservationAt {
  private ReservationAt() {}

  public static Reservation of(int region, int generation, int offset, int slot, int length) {
    Reservation reservation = new Reservation();
    reservation.set(region, generation, offset, slot, length);
    return reservation;
  }
}
