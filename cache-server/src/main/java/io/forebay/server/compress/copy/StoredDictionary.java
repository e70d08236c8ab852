package io.forebay.server.compress.copy;

/**
 * A stored response that clients have a copy of, against which deltas are made.
 *
 * @param sha256 of its body
 * @param hi high half of the hash of its key
 * @param lo low half of the hash of its key
 * @param keyText the whole key
 * @param objectId its number: another response under the key is another dictionary
 */
@SuppressWarnings("ArrayRecordComponent")
public record StoredDictionary(byte[] sha256, long hi, long lo, byte[] keyText, long objectId) {}
