package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.exchange.RequestBody;

/**
 * One request to an origin, complete but for framing, which the client adds.
 *
 * @param method method token
 * @param target path and query in origin form
 * @param fields every field to send, {@code host} included; no hop-by-hop or framing fields
 * @param body the request body; {@link RequestBody#NONE} for none
 */
public record OriginRequest(String method, String target, HeaderFields fields, RequestBody body) {}
