package io.forebay.server.tls;

/** A warning about a certificate for the operator. */
record CertificateWarning(Severity severity, String text) {

  enum Severity {
    /** It cannot be used. */
    ERROR,
    /**
     * It is not valid at this time. A running node takes none such in; one that starts does not
     * stay down for it.
     */
    TIME,
    WARNING
  }
}
