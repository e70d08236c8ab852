package io.forebay.server.protect;

/** What a route may ask of the credentials of a request, in the order in which it is asked. */
public enum CredentialCheck {
  PASSWORD,
  TOKEN,
  FORWARD
}
