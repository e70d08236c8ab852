package io.forebay.lab.scenario;

/**
 * A row of the object table.
 *
 * @param weight share of requests, relative to the others'
 * @param count of files of this size
 * @param path with {@code {n}} for the number of the file and {@code {bytes}} for its size
 */
public record ObjectRow(String name, long bytes, double weight, long count, String path) {

  ObjectRow withCount(long other) {
    return new ObjectRow(name, bytes, weight, other, path);
  }
}
