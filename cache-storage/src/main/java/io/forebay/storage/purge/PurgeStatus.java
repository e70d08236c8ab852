package io.forebay.storage.purge;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a purge that is in force.
 *
 * @param id its sequence: what was born before it is dead, or stale
 * @param kind null if it was written by a later version of this store
 * @param text empty where the journal does not have it any more
 * @param scopes how many hashes it names
 * @param objects it was found to match so far; empty if it is older than this start
 * @param bytes of their bodies
 * @param isSwept whether all it matches is found: its count is final
 * @param canBeUndone whether it is a soft purge that can be taken back now
 * @param undoneBy the number of the undo that took it back
 */
public record PurgeStatus(
    long id,
    @Nullable PurgeKind kind,
    boolean soft,
    String text,
    int scopes,
    long atMillis,
    OptionalLong objects,
    OptionalLong bytes,
    boolean isSwept,
    boolean canBeUndone,
    OptionalLong undoneBy) {}
