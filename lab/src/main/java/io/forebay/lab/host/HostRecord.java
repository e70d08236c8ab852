package io.forebay.lab.host;

import java.util.List;

/**
 * What a recording saw.
 *
 * @param total of the measured part
 * @param seconds one a second from the start of the recording, warm-up included; the last one may
 *     be shorter
 * @param markSeconds where the measured part begins, from the start of the recording
 * @param powerSource what measured watts, or why nothing did
 * @param remarks what a report has to say of the figures, such as gaps of a meter; each a sentence
 */
public record HostRecord(
    HostSample total,
    List<HostSample> seconds,
    double markSeconds,
    String powerSource,
    List<String> remarks) {

  public HostRecord {
    seconds = List.copyOf(seconds);
    remarks = List.copyOf(remarks);
  }

  /** The most that the server's processes had in a second. */
  public long maxResidentBytes() {
    return seconds.stream()
        .mapToLong(HostSample::residentBytes)
        .reduce(total.residentBytes(), Math::max);
  }
}
