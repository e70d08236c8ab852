package io.forebay.server.origin.call;

import io.forebay.core.http.HeaderFields;
import java.util.List;

/**
 * The same request as other nodes of the cluster are asked it: for the URL that clients ask for,
 * before the edits for the origin, without conditions and ranges.
 *
 * @param nodes who is asked before the origin, the first first
 * @param isDown whether they are of a tier further from the clients
 * @param key digest of the text of its base key
 * @param scheme of the client's request
 * @param target path and query in origin form
 * @param fields every field to send, {@code host} included
 */
public record PeerQuestion(
    List<String> nodes,
    boolean isDown,
    String key,
    String scheme,
    String target,
    HeaderFields fields) {}
