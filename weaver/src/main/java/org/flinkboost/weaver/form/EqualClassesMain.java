// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Compares class files of releases: {@code flink-boost releases --look} asks. It needs ByteBuddy
 * and no other library.
 */
public final class EqualClassesMain {

    private EqualClassesMain() {}

    /**
     * Prints, for each pair of class files, a line with the first thing in which they differ; an
     * empty one for two that do the same.
     *
     * @param files the paths, two by two
     */
    public static void main(String[] files) throws IOException {
        StringBuilder answers = new StringBuilder();
        for (int index = 0; index + 1 < files.length; index += 2) {
            byte[] first = Files.readAllBytes(Path.of(files[index]));
            byte[] second = Files.readAllBytes(Path.of(files[index + 1]));
            answers.append(EqualClasses.difference(first, second).orElse("")).append('\n');
        }
        System.out.write(answers.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}
