package io.forebay.server.rule;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.naming.InvalidNameException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/** A part of a certificate, as texts; what cannot be decoded has no value. */
public interface CertificatePart {

  /** Attributes of names, as configurations write them. */
  List<String> ATTRIBUTES =
      List.of(
          "CN", "O", "OU", "C", "ST", "L", "STREET", "DC", "UID", "SERIALNUMBER", "EMAILADDRESS");

  /** Keywords that RFC 2253 has not. */
  Map<String, String> MORE_KEYWORDS =
      Map.of("2.5.4.5", "SERIALNUMBER", "1.2.840.113549.1.9.1", "EMAILADDRESS");

  List<String> values(X509Certificate certificate);

  /** The whole name of its subject (RFC 2253). */
  static CertificatePart subject() {
    return certificate -> List.of(certificate.getSubjectX500Principal().getName());
  }

  /** The values of an attribute of its subject. */
  static CertificatePart subject(String attribute) {
    return certificate -> attributes(certificate.getSubjectX500Principal(), attribute);
  }

  /** The whole name of its issuer (RFC 2253). */
  static CertificatePart issuer() {
    return certificate -> List.of(certificate.getIssuerX500Principal().getName());
  }

  /** The values of an attribute of its issuer. */
  static CertificatePart issuer(String attribute) {
    return certificate -> attributes(certificate.getIssuerX500Principal(), attribute);
  }

  /** SHA-256 of the certificate, as 64 hexadecimal digits in lower case. */
  static CertificatePart fingerprint() {
    return CertificatePart::fingerprints;
  }

  private static List<String> fingerprints(X509Certificate certificate) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return List.of(HexFormat.of().formatHex(digest));
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException("what was decoded can be encoded", e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static List<String> attributes(X500Principal name, String attribute) {
    List<String> values = new ArrayList<>();
    try {
      for (Rdn rdn : new LdapName(name.getName(X500Principal.RFC2253, MORE_KEYWORDS)).getRdns()) {
        Attribute found = rdn.toAttributes().get(attribute);
        if (found != null) {
          NamingEnumeration<?> all = found.getAll();
          while (all.hasMore()) {
            if (all.next() instanceof String text) {
              values.add(text);
            }
          }
        }
      }
    } catch (InvalidNameException e) {
      return List.of();
    } catch (NamingException e) {
      throw new IllegalStateException("values in memory", e);
    }
    return values;
  }

  /** Kinds of subject alternative names (RFC 5280 §4.2.1.6). */
  enum AlternativeName implements CertificatePart {
    EMAIL(1),
    /** In lower case. */
    DNS(2),
    URI(6);

    private final int tag;

    AlternativeName(int tag) {
      this.tag = tag;
    }

    @Override
    public List<String> values(X509Certificate certificate) {
      Collection<List<?>> names;
      try {
        names = certificate.getSubjectAlternativeNames();
      } catch (CertificateParsingException e) {
        return List.of();
      }
      if (names == null) {
        return List.of();
      }
      List<String> values = new ArrayList<>();
      for (List<?> name : names) {
        if (name.get(0) instanceof Integer kind && kind == tag && name.get(1) instanceof String s) {
          values.add(this == DNS ? s.toLowerCase(Locale.ROOT) : s);
        }
      }
      return values;
    }
  }
}
