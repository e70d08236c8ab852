package io.forebay.server.admin;

import java.io.IOException;
import java.io.InputStream;

/** The description of the admin API for programs: an OpenAPI document, kept beside this class. */
final class AdminDocument {
  private AdminDocument() {}

  static AdminReply reply() throws IOException {
    try (InputStream document = AdminDocument.class.getResourceAsStream("openapi.json")) {
      if (document == null) {
        throw new IOException("the document is not in the jar");
      }
      return new AdminReply(200, "application/json", document.readAllBytes());
    }
  }
}
