package io.forebay.storage.disk;

import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.DirectoryPage;
import java.nio.ByteBuffer;

/** One entry of a directory page, read where it lies. Reused by its owner. */
final class PageEntry {
  private ByteBuffer page = ByteBuffer.allocate(0);
  private int at;

  void wrap(ByteBuffer newPage, int newAt) {
    page = newPage;
    at = newAt;
  }

  /** Copies its first bytes, up to its length. */
  void copyTo(ByteBuffer into, int to, int most) {
    into.put(to, page, at, Math.min(length(), most));
  }

  byte kind() {
    return page.get(at + DirectoryPage.KIND);
  }

  /** The number of its storage class; 0 if that is unknown. */
  int storageClass() {
    int storageClass = page.get(at + DirectoryPage.STORAGE_CLASS);
    return storageClass >= 0 && storageClass <= DirectoryEntry.MAX_CLASS ? storageClass : 0;
  }

  boolean isTombstone() {
    return kind() == DirectoryPage.KIND_TOMBSTONE;
  }

  /** Where it lies in its page. */
  int at() {
    return at;
  }

  /** Whether a sweep has marked it: what it named is dead. */
  boolean isDead() {
    return !isTombstone() && offset() < 0;
  }

  int recordLength() {
    return page.getInt(at + DirectoryPage.RECORD_LENGTH);
  }

  long keyHigh() {
    return page.getLong(at + DirectoryPage.KEY_HIGH);
  }

  long keyLow() {
    return page.getLong(at + DirectoryPage.KEY_LOW);
  }

  int offset() {
    return page.getInt(at + DirectoryPage.OFFSET);
  }

  int slice() {
    return page.getInt(at + DirectoryPage.SLICE);
  }

  long birth() {
    return page.getLong(at + DirectoryPage.BIRTH);
  }

  long bodyBirth() {
    return page.getLong(at + DirectoryPage.BODY_BIRTH);
  }

  long objectId() {
    return page.getLong(at + DirectoryPage.OBJECT);
  }

  int expiresSeconds() {
    return page.getInt(at + DirectoryPage.EXPIRES);
  }

  /** Of the object's whole body; of the record where that is not known. */
  long totalBytes() {
    return DirectoryPage.totalBytes(page.getInt(at + DirectoryPage.TOTAL), recordLength());
  }

  int wordCount() {
    return page.getShort(at + DirectoryPage.WORDS);
  }

  long word(int n) {
    return n < wordCount() ? page.getLong(at + DirectoryPage.ENTRY_LENGTH + n * Long.BYTES) : 0;
  }

  long[] words() {
    long[] words = new long[wordCount()];
    for (int n = 0; n < words.length; n++) {
      words[n] = word(n);
    }
    return words;
  }

  int length() {
    return DirectoryPage.ENTRY_LENGTH + wordCount() * Long.BYTES;
  }
}
