package io.forebay.server.config;

import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Binds what the configuration says of a cluster. */
final class ClusterBinder extends Binder {
  private static final String SCOPE = "cluster";
  private static final int MAX_SECRET_KEYS = 16;

  ClusterBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  /** Null where the node is alone. */
  @Nullable ClusterConfig bind() {
    String name = value(SCOPE, ClusterKeys.CLUSTER_NAME);
    SourceLocation place =
        givenPlace(
            ClusterKeys.SECTION.fields().stream().map(field -> path(field)).toArray(String[]::new));
    if (place == null) {
      return null;
    }
    String given = needed(SCOPE, ClusterKeys.CLUSTER_NAME, place);
    if (name == null) {
      return null;
    }
    if (values.get("forwarding." + ConfigKeys.FORWARDING_NODE_ID.name()) == null) {
      problems.add(
          place.problem(
              path(ClusterKeys.CLUSTER_NAME),
              "a node of a cluster has a name that stays",
              "set forwarding.node-id"));
    }
    return new ClusterConfig(
        given,
        given(SCOPE, ClusterKeys.GROUP),
        tcp(ClusterKeys.LISTEN, given(SCOPE, ClusterKeys.LISTEN)),
        advertised(needed(SCOPE, ClusterKeys.ADVERTISE, place)),
        new ClusterConfig.Tls(
            neededFile(SCOPE, ClusterKeys.CA, place),
            neededFile(SCOPE, ClusterKeys.CERTIFICATE, place),
            neededFile(SCOPE, ClusterKeys.KEY, place)),
        log(place),
        new ClusterConfig.Purge(
            given(SCOPE, ClusterKeys.WAIT),
            given(SCOPE, ClusterKeys.WAIT_MOST),
            given(SCOPE, ClusterKeys.CUT_OFF),
            given(SCOPE, ClusterKeys.FENCE_AFTER),
            given(SCOPE, ClusterKeys.GAP),
            given(SCOPE, ClusterKeys.KEEP),
            given(SCOPE, ClusterKeys.KEEP_FOR),
            given(SCOPE, ClusterKeys.LOG_DOWN)),
        share(),
        sharedSecret());
  }

  private ClusterConfig.@Nullable SharedSecret sharedSecret() {
    Path file = value(SCOPE, ClusterKeys.SECRET_FILE);
    if (file == null) {
      return null;
    }
    List<Secret> keys = new ArrayList<>();
    String problem;
    try {
      if (Files.size(file) > MAX_SECRET_FILE_BYTES) {
        problem = "is larger than 64KiB";
      } else {
        problem = readKeys(Files.readString(file, StandardCharsets.ISO_8859_1), keys);
      }
    } catch (IOException e) {
      problem = "is not a file that can be read";
    }
    if (problem != null) {
      say(
          ClusterKeys.SECRET_FILE,
          "\"" + Printable.shown(file.toString()) + "\" " + problem,
          "copy the file of another node, or create the first one with: openssl rand -base64 32");
    }
    return new ClusterConfig.SharedSecret(file, List.copyOf(keys));
  }

  /** Reads the keys of a file; gives what is wrong with it, or null. Never quotes a line. */
  private static @Nullable String readKeys(String text, List<Secret> keys) {
    int number = 0;
    for (String line : text.lines().map(String::strip).toList()) {
      number++;
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int length;
      try {
        length = Base64.getDecoder().decode(line).length;
      } catch (IllegalArgumentException e) {
        return "has no base64 in line " + number;
      }
      if (length != ClusterConfig.SharedSecret.KEY_BYTES) {
        return "has a key of "
            + length
            + " bytes in line "
            + number
            + "; a key has "
            + ClusterConfig.SharedSecret.KEY_BYTES;
      }
      keys.add(new Secret(line));
    }
    return keys.isEmpty() || keys.size() > MAX_SECRET_KEYS
        ? "has " + keys.size() + " keys; 1 to " + MAX_SECRET_KEYS + " are allowed"
        : null;
  }

  private ClusterConfig.Share share() {
    Address listen = value(SCOPE, ClusterKeys.SHARE_LISTEN);
    Address advertised = value(SCOPE, ClusterKeys.SHARE_ADVERTISE);
    Address common = value(SCOPE, ClusterKeys.ADVERTISE);
    String shield = value(SCOPE, ClusterKeys.SHIELD);
    if (listen == null) {
      for (Field<ClusterConfig, ?> field :
          List.of(ClusterKeys.SHARE_ADVERTISE, ClusterKeys.SHIELD)) {
        if (values.get(path(field)) != null) {
          say(field, "the node shares no objects", "set share.listen, or remove it");
        }
      }
      advertised = null;
    } else {
      listen = tcp(ClusterKeys.SHARE_LISTEN, listen);
      if (advertised == null && common != null) {
        advertised = new Address(common.host(), listen.port());
      }
      if (advertised != null && advertised.port() == 0) {
        say(
            ClusterKeys.SHARE_LISTEN,
            "other nodes cannot connect to port 0",
            "write the port, or set share.advertise");
      }
      if (shield != null && shield.equals(given(SCOPE, ClusterKeys.GROUP))) {
        say(ClusterKeys.SHIELD, "it is the node's own group", "name another group, or remove it");
      }
    }
    return new ClusterConfig.Share(
        listen,
        advertised,
        given(SCOPE, ClusterKeys.SHARE_WEIGHT),
        given(SCOPE, ClusterKeys.SHARE_COPIES),
        given(SCOPE, ClusterKeys.TIER),
        shield);
  }

  private ClusterConfig.Log log(SourceLocation place) {
    List<URI> endpoints =
        needed(SCOPE, ClusterKeys.ENDPOINTS, place).stream().map(URI::create).toList();
    long https = endpoints.stream().filter(one -> "https".equals(one.getScheme())).count();
    if (https != 0 && https != endpoints.size()) {
      say(ClusterKeys.ENDPOINTS, "some endpoints are https and some are not", "use https for all");
    }
    Path ca = file(SCOPE, ClusterKeys.LOG_CA);
    Path certificate = file(SCOPE, ClusterKeys.LOG_CERTIFICATE);
    Path key = file(SCOPE, ClusterKeys.LOG_KEY);
    if ((certificate == null) != (key == null)) {
      say(
          certificate == null ? ClusterKeys.LOG_KEY : ClusterKeys.LOG_CERTIFICATE,
          "a certificate and its key belong together",
          "give log.certificate and log.key");
    }
    if (https == 0 && !endpoints.isEmpty()) {
      for (Field<?, ?> field : List.of(ClusterKeys.LOG_CA, ClusterKeys.LOG_CERTIFICATE)) {
        if (values.get(path(field)) != null) {
          say(field, "the endpoints are not https", "use https for all, or remove it");
        }
      }
    }
    String user = value(SCOPE, ClusterKeys.USER);
    Secret password = secret(SCOPE, ClusterKeys.PASSWORD, ClusterKeys.PASSWORD_FILE);
    if ((user == null) != (password == null)) {
      SourceLocation where =
          firstPlace(
              path(ClusterKeys.USER), path(ClusterKeys.PASSWORD), path(ClusterKeys.PASSWORD_FILE));
      problems.add(
          where.problem(
              path(ClusterKeys.USER),
              "a user and a password belong together",
              "give log.user and log.password-file"));
    }
    return new ClusterConfig.Log(endpoints, ca, certificate, key, user, password);
  }

  private Address tcp(Field<ClusterConfig, Address> field, Address address) {
    if (address.unixFile() != null) {
      say(field, "other machines cannot reach a Unix-domain socket", "write HOST:PORT");
    }
    return address;
  }

  private Address advertised(Address address) {
    boolean isGiven = values.get(path(ClusterKeys.ADVERTISE)) != null;
    if (isGiven
        && address.unixFile() == null
        && (address.port() == 0 || address.host().equals("*") || address.host().isEmpty())) {
      say(
          ClusterKeys.ADVERTISE,
          "other nodes cannot connect to this address",
          "write the host and the port that they reach");
    }
    return tcp(ClusterKeys.ADVERTISE, address);
  }

  private void say(Field<?, ?> field, String what, String right) {
    String path = path(field);
    problems.add(Objects.requireNonNull(firstPlace(path)).problem(path, what, right));
  }

  private static String path(Field<?, ?> field) {
    return SCOPE + "." + field.name();
  }
}
