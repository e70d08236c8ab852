package io.forebay.server.geo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.geo.MmdbFile.Kind;
import io.forebay.server.network.IpAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses in files that MaxMind's reader reads, and files that it does not. */
final class GeoLocatorTest {
  @TempDir Path directory;

  private MmdbFile countries() throws IOException {
    Path file =
        new MmdbWriter("GeoLite2-Country")
            .country("192.0.2.0/24", "DE")
            .country("198.51.100.128/25", "NO")
            .country("2001:db8::/32", "FR")
            .put("203.0.113.0/24", Map.of("continent", Map.of("code", "EU")))
            .put("203.0.114.0/24", Map.of("country", "not a map"))
            .write(directory.resolve("country.mmdb"));
    return MmdbFile.read(file, Kind.COUNTRY);
  }

  private MmdbFile networks() throws IOException {
    Path file =
        new MmdbWriter("GeoLite2-ASN")
            .asn("192.0.2.0/24", 64500)
            .asn("2001:db8::/32", 4_200_000_000L)
            .write(directory.resolve("asn.mmdb"));
    return MmdbFile.read(file, Kind.ASN);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.0,DE,64500",
    "192.0.2.255,DE,64500",
    "::ffff:192.0.2.1,DE,64500",
    "192.0.3.0,,",
    "198.51.100.127,,",
    "198.51.100.128,NO,",
    "2001:db8:ffff::1,FR,4200000000",
    "2001:db9::1,,",
    "203.0.113.1,,",
    "203.0.114.1,,",
    "127.0.0.1,,"
  })
  void addressesAreInTheirNetworks(String address, String country, Long asn) throws IOException {
    GeoLocator locator = new GeoLocator(countries(), networks());
    GeoLocation location = locator.locate(IpAddress.of(address));
    assertEquals(country, location.country());
    assertEquals(asn, location.asn());
  }

  @Test
  void whatWasLookedUpIsRememberedAndTheTableIsBounded() throws IOException {
    GeoLocator locator = new GeoLocator(countries(), null);
    IpAddress one = IpAddress.of("192.0.2.1");
    assertNull(locator.known(one));
    GeoLocation first = locator.locate(one);
    assertSame(first, locator.known(IpAddress.of("192.0.2.1")));
    assertNull(locator.known(IpAddress.of("192.0.2.2")));
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100_000; i++) {
      IpAddress address = new IpAddress(0x2001_0db8_0000_0000L, random.nextLong());
      assertEquals("FR", locator.locate(address).country());
    }
    assertNull(locator.known(one), "others took its place");
    assertEquals("DE", locator.locate(one).country());
    assertNull(GeoLocator.NONE.known(one));
    assertNull(GeoLocator.NONE.locate(one).country());
  }

  @Test
  void aFileThatCannotBeUsedSaysWhy() throws IOException {
    byte[] good = new MmdbWriter("GeoLite2-ASN").asn("192.0.2.0/24", 1).bytes();
    assertWhy("is not an MMDB file", new byte[0], Kind.ASN);
    assertWhy("is not an MMDB file", "no database".getBytes(StandardCharsets.US_ASCII), Kind.ASN);
    assertWhy("is not an MMDB file", Arrays.copyOf(good, good.length / 2), Kind.ASN);
    assertWhy("has the type GeoLite2-ASN, which has no countries", good, Kind.COUNTRY);
    byte[] other = new MmdbWriter("GeoLite2-ASN").asn("192.0.2.0/24", 2).bytes();
    assertEquals(checksum(good), checksum(good));
    assertNotEquals(checksum(good), checksum(other));
  }

  private long checksum(byte[] content) throws IOException {
    return MmdbFile.read(write(content), Kind.ASN).checksum();
  }

  private Path write(byte[] bytes) throws IOException {
    return Files.write(directory.resolve("file.mmdb"), bytes);
  }

  private void assertWhy(String expected, byte[] bytes, Kind kind) throws IOException {
    Path file = write(bytes);
    IOException why = assertThrows(IOException.class, () -> MmdbFile.read(file, kind));
    assertTrue(String.valueOf(why.getMessage()).contains(expected), String.valueOf(why));
  }

  /** Whatever bytes are wrong behind the head: an address has a country or none. */
  @Test
  void aDamagedFileGivesNoWrongTurn() throws IOException {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("GeoLocatorTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    byte[] good =
        new MmdbWriter("GeoLite2-Country")
            .country("192.0.2.0/24", "DE")
            .country("2001:db8::/32", "FR")
            .bytes();
    for (int i = 0; i < 2000; i++) {
      byte[] bad = good.clone();
      for (int k = random.nextInt(1, 4); k > 0; k--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      }
      MmdbFile file;
      try {
        file = MmdbFile.read(write(bad), Kind.COUNTRY);
      } catch (IOException e) {
        continue;
      }
      String country = file.country(IpAddress.of("192.0.2.1"));
      assertTrue(country == null || country.length() < 1000);
    }
  }
}
