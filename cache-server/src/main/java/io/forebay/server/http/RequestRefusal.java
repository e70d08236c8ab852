package io.forebay.server.http;

/** Why a request that has begun is refused by a limit of its route. */
public enum RequestRefusal {
  /** 413: its body is larger than allowed. */
  BODY_TOO_LARGE,

  /** 408: nothing of its body came for too long. */
  BODY_TIMEOUT,

  /** 408: its body comes too slowly. */
  BODY_TOO_SLOW,

  /** 408: it takes too long as a whole. */
  REQUEST_TIMEOUT
}
