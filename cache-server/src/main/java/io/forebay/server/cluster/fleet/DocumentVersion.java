package io.forebay.server.cluster.fleet;

/**
 * A version of the fleet's document.
 *
 * @param version counts up from 1
 * @param note what its author said of it; may be empty
 * @param files how many it has
 * @param size of them together
 * @param manifest hash of the part that lists its files
 */
public record DocumentVersion(
    long version, String author, String at, String note, int files, long size, String manifest) {}
