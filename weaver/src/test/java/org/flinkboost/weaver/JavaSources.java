// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.flinkboost.weaver.patch.Patches;

/** Compiles Java sources that a test holds as text. */
public final class JavaSources {

    private static final Pattern PACKAGE = Pattern.compile("package ([\\w.]+);");
    private static final Pattern TYPE = Pattern.compile("(?:class|interface) (\\w+)");

    // What depends on no other classes comes out the same each time: most tests begin with it.
    private static final Map<List<Object>, Map<String, byte[]>> COMPILED =
            new ConcurrentHashMap<>();

    private JavaSources() {}

    /** Writes the class files to a folder; the weaver's annotations are always at hand. */
    public static void compile(Path out, int release, List<Path> classPath, String... sources)
            throws IOException {
        compileWith(List.of(), out, release, classPath, sources);
    }

    /** The same with further options of the compiler. */
    public static void compileWith(
            List<String> more, Path out, int release, List<Path> classPath, String... sources)
            throws IOException {
        Files.createDirectories(out);
        List<Object> key = List.of(more, release, List.of(sources));
        Map<String, byte[]> known = classPath.isEmpty() ? COMPILED.get(key) : null;
        if (known != null) {
            for (Map.Entry<String, byte[]> file : known.entrySet()) {
                Path written = out.resolve(file.getKey());
                Files.createDirectories(written.getParent());
                Files.write(written, file.getValue());
            }
            return;
        }
        Map<String, byte[]> before = Acme.files(out);
        call(more, out, release, classPath, sources);
        if (classPath.isEmpty() && before.isEmpty()) {
            COMPILED.put(key, Acme.files(out));
        }
    }

    private static void call(
            List<String> more, Path out, int release, List<Path> classPath, String... sources) {
        String path =
                Stream.concat(Stream.of(annotations()), classPath.stream())
                        .map(Path::toString)
                        .collect(Collectors.joining(":"));
        List<String> options = new ArrayList<>(more);
        options.addAll(
                List.of(
                        "-proc:none",
                        "--release=" + release,
                        "--class-path=" + path,
                        "-d",
                        out.toString()));
        StringWriter problems = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Text> units = Arrays.stream(sources).map(Text::new).toList();
        if (!compiler.getTask(problems, null, null, options, null, units).call()) {
            throw new AssertionError("A test's own source does not compile:\n" + problems);
        }
    }

    /** Where the weaver's own classes are. */
    static Path annotations() {
        try {
            return Path.of(
                    Patches.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static final class Text extends SimpleJavaFileObject {

        private final String content;

        Text(String content) {
            super(
                    URI.create(
                            "text:///"
                                    + first(PACKAGE, content).replace('.', '/')
                                    + "/"
                                    + first(TYPE, content)
                                    + ".java"),
                    JavaFileObject.Kind.SOURCE);
            this.content = content;
        }

        private static String first(Pattern pattern, String content) {
            Matcher matcher = pattern.matcher(content);
            if (!matcher.find()) {
                throw new AssertionError("No " + pattern + " in:\n" + content);
            }
            return matcher.group(1);
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return content;
        }
    }
}
