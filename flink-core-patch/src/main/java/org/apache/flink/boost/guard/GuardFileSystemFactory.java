// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;

/**
 * Ends a Flink process at start when our jar does not belong there. It offers no file system.
 *
 * <p>JobManager, TaskManager and client all ask every file system factory for its scheme before
 * they do anything else, and let an {@link InternalError} through. From the constructor it would be
 * wrapped by {@link java.util.ServiceLoader} and only logged.
 */
public final class GuardFileSystemFactory implements FileSystemFactory {

    private static final String SCHEME = "flink-boost";

    /**
     * The scheme under which nothing is offered.
     *
     * @throws WrongFlinkVersionError when the woven classes are not for this Flink
     * @throws UnknownModeError when the kill switch has a value that means nothing
     */
    @Override
    public String getScheme() {
        BoostMode.requireStart();
        return SCHEME;
    }

    @Override
    public FileSystem create(URI uri) throws UnsupportedFileSystemSchemeException {
        throw new UnsupportedFileSystemSchemeException(
                "There is no file system behind the scheme '"
                        + SCHEME
                        + "' of "
                        + uri
                        + "; use another scheme.");
    }
}
