import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import net.openhft.chronicle.values.ValueModel;

/**
 * Run by the build only: writes the value classes that Chronicle Map would otherwise generate, compile
 * and load at its first use, which takes seconds. At run time it looks for them by name first.
 */
final class GenerateValueClasses {
  private static final List<String> INTERFACES =
      List.of("net.openhft.chronicle.hash.VanillaGlobalMutableState");

  private GenerateValueClasses() {}

  public static void main(String[] arguments) throws Exception {
    Path classes = Path.of(arguments[0]);
    for (String name : INTERFACES) {
      generate(Class.forName(name), classes);
    }
  }

  private static void generate(Class<?> type, Path classes)
      throws ReflectiveOperationException, IOException, URISyntaxException {
    String simpleName = type.getSimpleName() + "$$Native";
    Path folder = classes.resolve(type.getPackageName().replace('.', '/'));
    Path target = folder.resolve(simpleName + ".class");
    if (Files.exists(target)
        && isNewer(target, type)
        && isNewer(target, ValueModel.class)) {
      return;
    }
    Method generator =
        Class.forName("net.openhft.chronicle.values.Generators")
            .getDeclaredMethod("generateNativeClass", ValueModel.class, String.class);
    generator.setAccessible(true);
    String source;
    try {
      source = (String) generator.invoke(null, ValueModel.acquire(type), simpleName);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("no value class for " + type, e.getCause());
    }
    Path work = Files.createTempDirectory("value-classes");
    Path file = work.resolve(simpleName + ".java");
    Files.writeString(file, source);
    Files.createDirectories(classes);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      files.setLocation(StandardLocation.CLASS_OUTPUT, List.of(classes.toFile()));
      boolean isCompiled =
          compiler
              .getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none", "-nowarn", "-g:none"),
                  null,
                  files.getJavaFileObjects(file))
              .call();
      if (!isCompiled || !Files.exists(target)) {
        throw new IllegalStateException("the value class of " + type + " does not compile");
      }
    } finally {
      Files.delete(file);
      Files.delete(work);
    }
  }

  private static boolean isNewer(Path file, Class<?> origin)
      throws IOException, URISyntaxException {
    Path jar = Path.of(origin.getProtectionDomain().getCodeSource().getLocation().toURI());
    return Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(jar)) > 0;
  }
}
