package io.forebay.server.tls;

/** Something an operator should know of a certificate. */
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
