package io.forebay.server.config;

import io.forebay.server.rule.CertificatePart;
import io.forebay.server.rule.CertificatePart.AlternativeName;
import io.forebay.server.rule.Condition;
import io.forebay.server.rule.RequestConditions;
import io.forebay.server.rule.TextMatcher;
import io.forebay.server.rule.TextSet;
import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Compiles conditions on clients' certificates. */
final class ClientCertificateBinder {
  private static final List<String> KEYS =
      List.of("verified", "subject", "issuer", "san", "fingerprint");

  private static final Map<String, AlternativeName> NAMES =
      Map.of(
          "dns", AlternativeName.DNS, "uri", AlternativeName.URI, "email", AlternativeName.EMAIL);

  /** Reads values as the conditions on other texts do. */
  interface TextReader {
    @Nullable TextMatcher read(String path, ConfigTree tree);
  }

  private final TreeReader reader;
  private final TextReader texts;
  private final TextReader hosts;
  private final List<String> textKeys;

  /**
   * @param hosts reads names of hosts, which have no case
   * @param textKeys keys that a mapping in place of a text has
   */
  ClientCertificateBinder(
      TreeReader reader, TextReader texts, TextReader hosts, List<String> textKeys) {
    this.reader = reader;
    this.texts = texts;
    this.hosts = hosts;
    this.textKeys = textKeys;
  }

  /** All of the keys hold; null after a problem. */
  @Nullable Condition bind(String path, ConfigTree tree) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, KEYS);
    if (entries == null) {
      return null;
    }
    if (entries.isEmpty()) {
      if (tree instanceof ConfigTree.Mapping mapping && mapping.entries().isEmpty()) {
        reader.problem(
            tree.place(), path, "an empty condition", "known here: " + String.join(", ", KEYS));
      }
      return null;
    }
    List<@Nullable Condition> conditions = new ArrayList<>();
    entries.forEach((key, entry) -> {
      String own = path + "." + key;
      ConfigTree value = entry.value();
      switch (key) {
        case "verified" -> conditions.add(verified(own, value));
        case "subject" ->
            addName(own, value, CertificatePart.subject(), CertificatePart::subject, conditions);
        case "issuer" ->
            addName(own, value, CertificatePart.issuer(), CertificatePart::issuer, conditions);
        case "san" -> addAlternativeNames(own, value, conditions);
        case "fingerprint" -> conditions.add(fingerprint(own, value));
        default -> throw new IllegalStateException(key);
      }
    });
    List<Condition> whole = new ArrayList<>();
    for (Condition condition : conditions) {
      if (condition == null) {
        return null;
      }
      whole.add(condition);
    }
    return Condition.all(whole);
  }

  private @Nullable Condition verified(String path, ConfigTree tree) {
    List<String> words = reader.words(path, tree, List.of("true", "false"));
    return words == null
        ? null
        : RequestConditions.clientVerified(Boolean.parseBoolean(words.getFirst()));
  }

  /** A whole name, or its attributes. */
  private void addName(
      String path,
      ConfigTree tree,
      CertificatePart whole,
      Function<String, CertificatePart> attribute,
      List<@Nullable Condition> conditions) {
    if (!(tree instanceof ConfigTree.Mapping mapping)
        || (!mapping.entries().isEmpty()
            && textKeys.contains(mapping.entries().getFirst().key()))) {
      conditions.add(condition(whole, texts.read(path, tree)));
      return;
    }
    add(
        path,
        tree,
        CertificatePart.ATTRIBUTES,
        conditions,
        (own, key, value) -> condition(attribute.apply(key), texts.read(own, value)));
  }

  private void addAlternativeNames(
      String path, ConfigTree tree, List<@Nullable Condition> conditions) {
    add(
        path,
        tree,
        List.of("dns", "uri", "email"),
        conditions,
        (own, key, value) -> {
          TextReader values = key.equals("dns") ? hosts : texts;
          return condition(NAMES.getOrDefault(key, AlternativeName.DNS), values.read(own, value));
        });
  }

  private interface One {
    @Nullable Condition bind(String path, String key, ConfigTree value);
  }

  private void add(
      String path,
      ConfigTree tree,
      List<String> known,
      List<@Nullable Condition> conditions,
      One one) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, known);
    if (entries == null || entries.isEmpty()) {
      if (tree instanceof ConfigTree.Mapping mapping && mapping.entries().isEmpty()) {
        reader.problem(
            tree.place(), path, "names nothing", "known here: " + String.join(", ", known));
      }
      conditions.add(null);
      return;
    }
    entries.forEach((key, entry) -> conditions.add(one.bind(path + "." + key, key, entry.value())));
  }

  private @Nullable Condition fingerprint(String path, ConfigTree tree) {
    List<String> given = reader.texts(path, tree);
    if (given == null) {
      return null;
    }
    List<String> digests = new ArrayList<>();
    for (String text : given) {
      String digits = text.replace(":", "").toLowerCase(Locale.ROOT);
      if (!digits.matches("[0-9a-f]{64}")) {
        reader.problem(
            tree.place(),
            path,
            "\"" + Printable.shown(text) + "\" is not the SHA-256 of a certificate",
            "write 64 hexadecimal digits, as openssl x509 -noout -fingerprint -sha256 prints them");
        return null;
      }
      digests.add(digits);
    }
    return condition(CertificatePart.fingerprint(), new TextMatcher.Exact(TextSet.of(digests)));
  }

  private static @Nullable Condition condition(CertificatePart part, @Nullable TextMatcher test) {
    return test == null ? null : RequestConditions.clientCertificate(part, test);
  }
}
