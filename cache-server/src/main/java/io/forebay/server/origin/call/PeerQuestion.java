package io.forebay.server.origin.call;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.OriginTimeouts;
import java.util.List;

/**
 * The form of a request that goes to other nodes of the cluster: for the URL of the client, before
 * the edits for the origin, without conditions and ranges.
 *
 * @param nodes to ask before the origin, in this order
 * @param isDown whether the nodes are of a tier further from the clients
 * @param key digest of the text of its base key
 * @param scheme of the client's request
 * @param target path and query in origin form
 * @param fields every field to send, {@code host} included
 * @param ofOrigin what the node that fetches waits for at most
 */
public record PeerQuestion(
    List<String> nodes,
    boolean isDown,
    String key,
    String scheme,
    String target,
    HeaderFields fields,
    OriginTimeouts ofOrigin) {}
