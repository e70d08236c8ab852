/**
 * Which stored responses are compression dictionaries (RFC 9842): found by the hash that a client
 * names, and learned after they were stored.
 *
 * <pre>
 *   a response of a route with `dictionary`, just stored
 *        │ Dictionaries.learn ─► DictionaryHashJob ─ body ─► pool ─ SHA-256
 *        ▼                                              │
 *   a marker in the store, at  origin + fields of the key + " :dictionary-ROUTE-HASH" ─► the response
 *        ▲
 *        │ Dictionaries.find
 *   Available-Dictionary: :HASH:  ─► StoredDictionary ─► compress.copy: a delta is found, or made
 * </pre>
 *
 * <p>A marker names its response by key and object number: one that was purged, replaced or evicted
 * is no dictionary any more, whatever becomes of the marker. Its own key has scheme, host and port
 * of the request, the name of the route, and what the key of the response has of the request's
 * header, so a dictionary counts for one origin, and for clients who could have got the response.
 *
 * <p>Start at {@link Dictionaries}.
 */
@NullMarked
package io.forebay.server.compress.dictionary;

import org.jspecify.annotations.NullMarked;
