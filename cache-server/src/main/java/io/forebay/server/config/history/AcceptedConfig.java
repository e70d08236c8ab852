package io.forebay.server.config.history;

import java.time.Instant;

/**
 * A configuration that a node accepted.
 *
 * @param number counts up from 1
 * @param author {@code start}, {@code signal}, or who called the admin API
 * @param hash SHA-256 of the file's text, and of what it includes, in hexadecimal
 * @param file that was read; empty where there was none
 * @param fleet version of the fleet's document that was joined; 0 for none
 */
public record AcceptedConfig(
    long number, Instant time, String author, String hash, String file, long fleet) {}
