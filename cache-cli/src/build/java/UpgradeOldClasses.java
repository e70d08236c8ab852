import static java.lang.classfile.ClassFile.JAVA_8_VERSION;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Rewrites the classes of a jar that were compiled for Java 5 as if for Java 8: the same code, with
 * the stack maps that such classes lack. An AOT cache takes no class without (JEP 483), and the
 * command line's library is compiled so.
 */
final class UpgradeOldClasses {

  /** Class files before this number have no stack maps (JVMS 4.10.1). */
  private static final int FIRST_WITH_STACK_MAPS = ClassFile.JAVA_6_VERSION;

  private UpgradeOldClasses() {}

  public static void main(String[] args) throws IOException {
    Path jar = Path.of(args[0]);
    Path upgraded = Path.of(args[0] + ".upgraded");
    int count = 0;
    try (ZipFile from = new ZipFile(jar.toFile());
        OutputStream file = Files.newOutputStream(upgraded);
        ZipOutputStream to = new ZipOutputStream(file)) {
      ClassFile classes =
          ClassFile.of(
              ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
              ClassHierarchyResolverOption.of(
                  ClassHierarchyResolver.ofResourceParsing(name -> open(from, name))
                      .orElse(ClassHierarchyResolver.defaultResolver())));
      for (Enumeration<? extends ZipEntry> each = from.entries(); each.hasMoreElements(); ) {
        ZipEntry entry = each.nextElement();
        byte[] bytes = from.getInputStream(entry).readAllBytes();
        if (entry.getName().endsWith(".class") && majorVersion(bytes) < FIRST_WITH_STACK_MAPS) {
          bytes = upgrade(classes, bytes);
          count++;
        }
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTime(entry.getTime());
        to.putNextEntry(copy);
        to.write(bytes);
        to.closeEntry();
      }
    }
    if (count == 0) {
      throw new IOException(jar + " has no old classes: this step is needed no more");
    }
    Files.move(upgraded, jar, StandardCopyOption.REPLACE_EXISTING);
  }

  private static InputStream open(ZipFile jar, ClassDesc name) {
    String descriptor = name.descriptorString();
    ZipEntry entry = jar.getEntry(descriptor.substring(1, descriptor.length() - 1) + ".class");
    try {
      return entry == null ? null : new ByteArrayInputStream(jar.getInputStream(entry).readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int majorVersion(byte[] bytes) {
    return (bytes[6] & 0xff) << 8 | bytes[7] & 0xff;
  }

  private static byte[] upgrade(ClassFile classes, byte[] bytes) {
    ClassModel old = classes.parse(bytes);
    // A body that is taken apart is written with its stack maps; one that is copied is not.
    ClassTransform bodies = ClassTransform.transformingMethodBodies((code, element) -> code.with(element));
    ClassTransform version =
        (to, element) ->
            to.with(
                element instanceof ClassFileVersion
                    ? ClassFileVersion.of(JAVA_8_VERSION, 0)
                    : element);
    return classes.transformClass(old, version.andThen(bodies));
  }
}
