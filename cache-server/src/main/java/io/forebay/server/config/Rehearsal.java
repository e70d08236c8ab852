package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Replaces what a configuration names outside of itself by stand-ins, once its texts are read and
 * before they are interpreted: what is replaced need not be there.
 *
 * <pre>
 *   listen, tls, certificates   ──► the same listeners by name, on free ports of 127.0.0.1
 *   origins                     ──► the same origins and servers by name, at ports of 127.0.0.1
 *   store, stores, admin, logs  ──► small, in a directory of the rehearsal
 *   all else                    ──► as it is
 * </pre>
 */
final class Rehearsal {
  private static final SourceLocation PLACE = new SourceLocation("rehearsal", 0, 0);
  private static final String MEMORY = "32MiB";
  private static final String DISK = "64MiB";

  /** Sections that have their defaults, but for what is set here. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "tls",
          "http3",
          "admin",
          "threads",
          "store",
          "overload",
          "access-log",
          "audit",
          "cluster");

  /** Keys of origins about how their real servers are reached, or that depend on real time. */
  private static final List<String> OF_SERVERS =
      List.of(
          "tls.",
          "trust",
          "protocol",
          "source-address",
          "proxy",
          "probe.",
          "ejection.slow-",
          "retry.hedge",
          "slow-start");

  private final ConfigValues values;
  private final StandIns standIns;

  Rehearsal(ConfigValues values, StandIns standIns) {
    this.values = values;
    this.standIns = standIns;
  }

  void apply() {
    listeners();
    origins();
    boolean hasDisks = !values.instances(ConfigKeys.STORES).isEmpty();
    values.removeAll(ConfigKeys.STORES);
    values.removeAll(ConfigKeys.CERTIFICATES);
    values.removeIf(
        key -> key.indexOf('.') > 0 && LEFT_OUT.contains(key.substring(0, key.indexOf('.'))));
    set("tls", ConfigKeys.TLS_OCSP, "false");
    set("admin", ConfigKeys.ADMIN_ADDRESS, "unix:" + standIns.data().resolve("admin.sock"));
    set("threads", ConfigKeys.THREADS_LOOPS, "1");
    set("threads", ConfigKeys.THREADS_PIN, "off");
    set("store", ConfigKeys.STORE_DATA, standIns.data().toString());
    set("store", ConfigKeys.STORE_MEMORY, MEMORY);
    set("store", ConfigKeys.STORE_MEMORY_DIRECTORY, standIns.memory().toString());
    set("overload", ConfigKeys.OVERLOAD_DELAY, "0s");
    set("access-log", LogKeys.OUTPUT, standIns.accessLog().toString());
    set("access-log", LogKeys.RING, "0");
    set("audit", LogKeys.AUDIT_OUTPUT, "off");
    if (hasDisks) {
      // One is enough for the classes that need a disk.
      String path = standIns.data().resolve("disk").toString();
      values.set(ConfigKeys.STORES, "disk", ConfigKeys.DISK_PATH, path, PLACE);
      values.set(ConfigKeys.STORES, "disk", ConfigKeys.DISK_SIZE, DISK, PLACE);
    }
    trustThePeer();
  }

  private void set(String section, Field<?, ?> field, String text) {
    values.set(section + "." + field.name(), text, PLACE);
  }

  private void listeners() {
    int next = 0;
    for (String index : List.copyOf(values.instances(ConfigKeys.LISTEN).keySet())) {
      next = Math.max(next, Integer.parseInt(index) + 1);
      String scope = "listen." + index + ".";
      boolean isTls =
          isGiven(scope, ConfigKeys.LISTEN_CERTIFICATE)
              || isGiven(scope, ConfigKeys.LISTEN_DEFAULT)
              || isOn(values.get(scope + ConfigKeys.LISTEN_ACME.name()));
      values.removeIf(key -> key.startsWith(scope + "tls.") || key.equals(scope + "h2c"));
      listener(index, isTls);
    }
    if (isGiven("tls.", ConfigKeys.TLS_LISTEN)) {
      listener(Integer.toString(next++), true);
    }
    if (next == 0) {
      listener("0", false);
    }
  }

  private void listener(String index, boolean isTls) {
    setListener(index, ConfigKeys.LISTEN_ADDRESS, "127.0.0.1:0");
    // Requests that a proxy relays are not redirected to https.
    boolean isRedirect = isGiven("listen." + index + ".", ConfigKeys.LISTEN_REDIRECT);
    setListener(index, ConfigKeys.LISTEN_PROXY, Boolean.toString(!isRedirect));
    if (isTls) {
      setListener(index, ConfigKeys.LISTEN_CERTIFICATE, standIns.certificate().toString());
      setListener(index, ConfigKeys.LISTEN_KEY, standIns.key().toString());
    }
  }

  private void setListener(String index, Field<?, ?> field, String text) {
    values.set(ConfigKeys.LISTEN, index, field, text, PLACE);
  }

  private boolean isGiven(String scope, Field<?, ?> field) {
    return values.get(scope + field.name()) != null;
  }

  private static boolean isOn(@Nullable Raw raw) {
    return raw != null && raw.text().strip().equals("true");
  }

  private void origins() {
    Raw shortForm = values.get(ConfigKeys.ORIGIN.name());
    if (shortForm != null) {
      replace(ConfigKeys.ORIGIN.name(), shortForm, OriginBinder.DEFAULT_ORIGIN, 1);
    }
    Map<String, SourceLocation> origins = values.instances(ConfigKeys.ORIGINS);
    for (String name : List.copyOf(origins.keySet())) {
      String scope = "origins." + name + ".";
      values.removeIf(key ->
          key.startsWith(scope)
              && OF_SERVERS.stream().anyMatch(part -> isOf(key.substring(scope.length()), part)));
      keepSignedHost(name, scope);
      Raw url = values.get(scope + ConfigKeys.ORIGIN_URL.name());
      if (url != null) {
        replace(scope + ConfigKeys.ORIGIN_URL.name(), url, name, 1);
      }
      Section<?> servers = ConfigKeys.ORIGIN_SERVERS.at("origins." + name);
      int number = 1;
      for (String index : values.instances(servers).keySet()) {
        String path = servers.prefix() + "." + index + "." + ConfigKeys.SERVER_URL.name();
        Raw server = values.get(path);
        if (server != null) {
          replace(path, server, name, number);
        }
        number++;
      }
    }
  }

  private static boolean isOf(String key, String part) {
    boolean isPrefix = part.endsWith(".") || part.endsWith("-");
    return isPrefix ? key.startsWith(part) : key.equals(part) || key.startsWith(part + "-");
  }

  /** A signature covers the host, which is that of the URL unless it is given. */
  private void keepSignedHost(String name, String scope) {
    Raw url = values.get(scope + ConfigKeys.ORIGIN_URL.name());
    if (url != null
        && isGiven(scope, ConfigKeys.S3_BUCKET)
        && !isGiven(scope, ConfigKeys.ORIGIN_HOST)
        && isUrl(url)
        && url.text().contains("://")) {
      String rest = url.text().strip().substring(url.text().strip().indexOf("://") + 3);
      int slash = rest.indexOf('/');
      String host = slash < 0 ? rest : rest.substring(0, slash);
      Raw bucket = values.get(scope + ConfigKeys.S3_BUCKET.name());
      Raw addressing = values.get(scope + ConfigKeys.S3_ADDRESSING.name());
      String label = bucket == null ? "" : bucket.text().strip() + ".";
      boolean isInHost = addressing != null && addressing.text().strip().equals("virtual-host");
      values.set(
          ConfigKeys.ORIGINS,
          name,
          ConfigKeys.ORIGIN_HOST,
          isInHost && !host.startsWith(label) ? label + host : host,
          PLACE);
    }
  }

  /** What is no URL stays, so that it is reported where it stands. */
  private void replace(String path, Raw url, String origin, int server) {
    if (isUrl(url)) {
      values.set(
          path,
          "http://127.0.0.1:" + standIns.port(origin, server) + base(url.text().strip()),
          PLACE);
    }
  }

  private static boolean isUrl(Raw url) {
    try {
      String ignored = ConfigKeys.ORIGIN_URL.type().reader().read(url.text().strip());
      return true;
    } catch (ValueType.WrongValueException e) {
      return false;
    }
  }

  /** The path of a URL, which stands before that of each request. */
  private static String base(String url) {
    if (url.startsWith("unix:")) {
      int colon = url.indexOf(":/", "unix:/".length());
      return colon < 0 ? "" : url.substring(colon + 1);
    }
    int slash = url.indexOf('/', url.indexOf("://") + 3);
    return slash < 0 ? "" : url.substring(slash);
  }

  private void trustThePeer() {
    String path = "forwarding." + ConfigKeys.FORWARDING_TRUSTED.name();
    Raw trusted = values.get(path);
    String own = StandIns.PEER + "/32";
    String all = trusted == null || trusted.text().isBlank() ? own : trusted.text() + "," + own;
    values.set(path, all, trusted == null ? PLACE : trusted.place());
  }
}
