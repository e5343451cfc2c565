// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes a class again for another type of its parameters. A source with the comment
 *
 * <pre>{@code // @twin SegmentSum: `byte[] in` is `Segment in`}</pre>
 *
 * has a twin of that name beside it, in which each parameter of the first form has the second one,
 * and each class that has a twin is that twin. All else, comments included, is the same.
 *
 * <p>{@code java TwinSources.java SOURCES OUT} works without a build, so the class needs no other.
 */
public final class TwinSources {

    private static final Pattern COMMENT =
            Pattern.compile("^// @twin (\\w+): (.+(?:\n// .+)*)\n\n?", Pattern.MULTILINE);

    private static final Pattern PARAMETER = Pattern.compile("`([^`]+ (\\w+))` is `([^`]+ \\2)`");

    private TwinSources() {}

    /** A source that has no twin, or none that would be right; the message names it. */
    public static final class TwinException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        TwinException(String message) {
            super(message);
        }
    }

    /**
     * Writes the twins of all sources of a folder to another one, and nothing else stays there.
     * Ends the process with 1 where one cannot be written, 2 where the call is wrong.
     */
    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            System.err.println("usage: TwinSources SOURCES OUT");
            System.exit(2);
        }
        try {
            write(Path.of(args[0]), Path.of(args[1]));
        } catch (TwinException e) {
            System.err.println("twins: " + e.getMessage());
            System.exit(1);
        }
    }

    /**
     * Writes the twins of the sources below a folder; what is there and the same stays as it is.
     */
    static void write(Path sources, Path out) throws IOException {
        Map<Path, String> twins = of(read(sources));
        for (Path old : read(out).keySet()) {
            if (!twins.containsKey(old)) {
                Files.delete(out.resolve(old));
            }
        }
        for (Map.Entry<Path, String> twin : twins.entrySet()) {
            Path path = out.resolve(twin.getKey());
            if (!Files.exists(path) || !Files.readString(path).equals(twin.getValue())) {
                Files.createDirectories(path.getParent());
                Files.writeString(path, twin.getValue());
            }
        }
    }

    private static Map<Path, String> read(Path folder) throws IOException {
        Map<Path, String> sources = new TreeMap<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> paths = Files.walk(folder)) {
                for (Path path : paths.collect(Collectors.toList())) {
                    if (path.toString().endsWith(".java")) {
                        sources.put(folder.relativize(path), Files.readString(path));
                    }
                }
            }
        }
        return sources;
    }

    /**
     * The twins of those of the sources that have one, by their paths.
     *
     * @throws TwinException where none has one, or one cannot be written
     */
    static Map<Path, String> of(Map<Path, String> sources) {
        Map<String, String> names = new LinkedHashMap<>();
        for (Map.Entry<Path, String> source : sources.entrySet()) {
            Matcher comment = COMMENT.matcher(source.getValue());
            if (comment.find()) {
                Path twin = source.getKey().resolveSibling(comment.group(1) + ".java");
                if (names.containsValue(comment.group(1)) || sources.containsKey(twin)) {
                    throw new TwinException("There are two sources of " + comment.group(1) + ".");
                }
                names.put(className(source.getKey()), comment.group(1));
            }
        }
        if (names.isEmpty()) {
            throw new TwinException("No source has a twin.");
        }
        Map<Path, String> twins = new TreeMap<>();
        sources.forEach(
                (path, source) -> {
                    String twin = names.get(className(path));
                    if (twin != null) {
                        twins.put(
                                path.resolveSibling(twin + ".java"),
                                twin(className(path), source, names));
                    }
                });
        return twins;
    }

    private static String className(Path path) {
        return path.getFileName().toString().replace(".java", "");
    }

    private static String twin(String name, String source, Map<String, String> names) {
        Matcher comment = COMMENT.matcher(source);
        if (!comment.find()) {
            throw new TwinException(name + " has no twin.");
        }
        String text = comment.replaceFirst("// The build writes this class, from " + name + ".\n");
        for (String[] parameter : parameters(name, comment.group(2))) {
            String word = parameter[0].substring(parameter[0].lastIndexOf(' ') + 1);
            if (parameter[0].contains("[]")
                    && text.matches("(?s).*\\b" + word + "(\\[|\\.length\\b).*")) {
                throw new TwinException(
                        name + " looks into `" + word + "` itself, which its twin cannot.");
            }
            String changed =
                    text.replaceAll(
                            "(?<![\\w.])" + Pattern.quote(parameter[0]) + "\\b",
                            Matcher.quoteReplacement(parameter[1]));
            if (changed.equals(text)) {
                throw new TwinException(name + " has no `" + parameter[0] + "`.");
            }
            text = changed;
        }
        for (Map.Entry<String, String> pair : names.entrySet()) {
            // But not in the sentence that says where the twin comes from.
            text =
                    text.replaceAll(
                            "(?<!this class, from )\\b" + pair.getKey() + "\\b", pair.getValue());
        }
        return text;
    }

    private static List<String[]> parameters(String name, String said) {
        List<String[]> parameters = new ArrayList<>();
        Matcher parameter = PARAMETER.matcher(said);
        while (parameter.find()) {
            parameters.add(new String[] {parameter.group(1), parameter.group(3)});
        }
        String rest = parameter.replaceAll("").replaceAll("[\\s/,.]", "");
        if (parameters.isEmpty() || !rest.isEmpty()) {
            throw new TwinException(name + " does not say what its twin has: " + said);
        }
        return parameters;
    }
}
