package io.forebay.server.cluster;

/**
 * Figures of a node in a cluster, for metrics.
 *
 * @param revision up to where purges are in force here
 * @param newest revision of the newest purge that was seen in the log
 * @param proofAgeSeconds age of the latest proof; NaN where there was none
 * @param isFenced whether the node validates stored objects before it uses them
 * @param published purges that this node has written to the log
 * @param unacknowledged those of them that some node had not confirmed in time
 * @param confirmSeconds sum of the waits for their receipts
 * @param applied purges of the log that were put in force here
 * @param gaps how often purges may have been missed
 * @param unreadable entries of the log that counted as purges of everything
 * @param queued purges that wait for the log
 * @param isDraining whether an operator drains this node
 * @param questions that this node has asked others, for receipts
 * @param groupsPublished groups invalidated by clients that this node has written to the log
 * @param groupsLost groups invalidated by clients that a bound has kept from the log
 */
public record ClusterFigures(
    int members,
    int alive,
    long revision,
    long newest,
    double proofAgeSeconds,
    boolean isFenced,
    long published,
    long unacknowledged,
    double confirmSeconds,
    long applied,
    long gaps,
    long unreadable,
    long queued,
    boolean isDraining,
    long questions,
    long groupsPublished,
    long groupsLost) {}
