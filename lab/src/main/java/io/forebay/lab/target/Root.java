package io.forebay.lab.target;

/** Whether this process is root's, so that servers are told not to become somebody else. */
final class Root {
  private Root() {}

  static boolean is() {
    return "root".equals(System.getProperty("user.name"));
  }
}
