package io.forebay.server.cluster.fleet;

/**
 * A version of the fleet's document.
 *
 * @param version counts up from 1
 * @param note of its author; may be empty
 * @param files number of its files
 * @param size of all files together
 * @param manifest hash of its manifest, the part that lists the files
 */
public record DocumentVersion(
    long version, String author, String at, String note, int files, long size, String manifest) {}
