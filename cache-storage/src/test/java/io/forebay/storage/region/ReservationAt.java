package io.forebay.storage.region;

/** Reservations at a place of the test's own choice. */
public final class ReservationAt {
  private ReservationAt() {}

  public static Reservation of(int region, int generation, int offset, int slot, int length) {
    Reservation reservation = new Reservation();
    reservation.set(region, generation, offset, slot, length);
    return reservation;
  }
}
