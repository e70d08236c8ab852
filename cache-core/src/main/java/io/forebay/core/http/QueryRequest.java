package io.forebay.core.http;

/**
 * A QUERY request whose content has been read; its digest is part of the request's identity (RFC
 * 10008 §2.7).
 *
 * @param request the same as it came
 */
public record QueryRequest(RequestView request, String contentDigest) implements ForwardingRequest {

  /** Whether a request is of this method. */
  public static boolean isQuery(RequestView request) {
    return request.method().equals("QUERY");
  }
}
