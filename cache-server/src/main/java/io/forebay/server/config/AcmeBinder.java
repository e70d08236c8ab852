package io.forebay.server.config;

import io.forebay.server.config.AcmeConfig.Challenge;
import io.forebay.server.config.TlsConfig.CertificateConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Binds the configuration of certificates by ACME. */
final class AcmeBinder extends Binder {
  private static final String SCOPE = "tls";
  private static final int MAX_NAME = 253;
  private static final Pattern PUBLIC_NAME =
      Pattern.compile(
          "(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?");

  AcmeBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  AcmeConfig acme(List<CertificateConfig> certificates) {
    List<String> hosts = given(SCOPE, ConfigKeys.ACME_HOSTS);
    List<String> onDemand = given(SCOPE, ConfigKeys.ACME_ON_DEMAND);
    List<Challenge> challenges =
        given(SCOPE, ConfigKeys.ACME_CHALLENGES).stream()
            .map(text -> Challenge.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_')))
            .toList();
    boolean isAgreed = given(SCOPE, ConfigKeys.ACME_AGREE);
    Path caFile = file(SCOPE, ConfigKeys.ACME_CA_FILE);
    String eabKeyId = value(SCOPE, ConfigKeys.ACME_EAB_KEY_ID);
    Secret eabSecret = secret(SCOPE, ConfigKeys.ACME_EAB_SECRET, ConfigKeys.ACME_EAB_SECRET_FILE);
    hosts.forEach(host -> checkHost(host, certificates));
    onDemand.forEach(host -> checkName("tls.acme.on-demand", host));
    if (!hosts.isEmpty() || !onDemand.isEmpty()) {
      if (!isAgreed) {
        say(
            "tls.acme.agree-to-terms",
            "certificates are ordered only after you agree to the authority's terms of service",
            "read them, then set agree-to-terms: true");
      }
      if (challenges.isEmpty()) {
        say("tls.acme.challenges", "lists no challenge", "write tls-alpn-01, http-01 or both");
      }
    }
    if ((eabKeyId == null) != (eabSecret == null)) {
      say(
          "tls.acme.eab-key-id",
          "an external account binding needs eab-key-id and eab-secret",
          "give both");
    }
    return new AcmeConfig(
        hosts,
        given(SCOPE, ConfigKeys.ACME_DIRECTORY),
        value(SCOPE, ConfigKeys.ACME_EMAIL),
        isAgreed,
        caFile,
        challenges,
        eabKeyId,
        eabSecret,
        given(SCOPE, ConfigKeys.ACME_KEY_TYPE),
        given(SCOPE, ConfigKeys.ACME_RENEW_AT),
        given(SCOPE, ConfigKeys.ACME_RENEWAL_INFO),
        onDemand,
        given(SCOPE, ConfigKeys.ACME_ON_DEMAND_PER_HOUR));
  }

  private void checkHost(String host, List<CertificateConfig> certificates) {
    if (host.startsWith("*.")) {
      say(
          "tls.acme.hosts",
          host + " is a wildcard, which requires the challenge dns-01; it is not offered",
          "list each name, or use on-demand");
      return;
    }
    checkName("tls.acme.hosts", host);
    for (CertificateConfig certificate : certificates) {
      if (certificate.hosts().contains(host)) {
        say(
            "tls.acme.hosts",
            "certificates." + certificate.name() + " also has the host " + host,
            "keep one");
      }
    }
  }

  /** Names are also names of files: no other characters than these. */
  private void checkName(String path, String host) {
    if (host.length() > MAX_NAME || !PUBLIC_NAME.matcher(host).matches()) {
      say(
          path,
          "no certificate can be ordered for " + host,
          "write a domain name such as www.example.com, internationalized ones as xn--");
    }
  }

  private void say(String path, String what, @Nullable String right) {
    problems.add(
        firstPlace(path, "tls.acme.hosts", "tls.acme.on-demand")
            .problem(path, what, right == null ? "" : right));
  }
}
