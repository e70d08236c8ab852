package io.forebay.core.http;

/**
 * A QUERY whose content has been read: what it asks for is told by its digest (RFC 10008 §2.7).
 *
 * @param request the same as it came
 */
public record QueryRequest(RequestView request, String contentDigest) implements ForwardingRequest {

  /** Whether a request is of this method. */
  public static boolean isQuery(RequestView request) {
    return request.method().equals("QUERY");
  }
}
