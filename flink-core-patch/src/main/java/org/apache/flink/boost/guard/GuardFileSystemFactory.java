// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.boost.string.StringAccess;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a Flink process at start when our jar does not belong there. It offers no file system.
 *
 * <p>JobManager, TaskManager and client all ask every file system factory for its scheme before
 * they do anything else, and let an {@link InternalError} through. From the constructor it would be
 * wrapped by {@link java.util.ServiceLoader} and only logged.
 */
public final class GuardFileSystemFactory implements FileSystemFactory {

    private static final Logger LOG = LoggerFactory.getLogger(GuardFileSystemFactory.class);
    private static final String SCHEME = "flink-boost";
    private static final AtomicBoolean LOGGED = new AtomicBoolean();

    private final BoostMode mode;
    private final AtomicBoolean logged;

    /** For {@link java.util.ServiceLoader}: guards this process and logs once in it. */
    public GuardFileSystemFactory() {
        this(BoostMode.current(), LOGGED);
    }

    GuardFileSystemFactory(BoostMode mode, AtomicBoolean logged) {
        this.mode = mode;
        this.logged = logged;
    }

    /**
     * The scheme under which nothing is offered.
     *
     * @throws WrongFlinkVersionError when the woven classes are not for this Flink
     * @throws UnknownModeError when the kill switch has a value that means nothing
     */
    @Override
    public String getScheme() {
        InternalError refusal = mode.refusal();
        boolean first = logged.compareAndSet(false, true);
        if (refusal != null) {
            if (first) {
                LOG.error(refusal.getMessage());
            }
            throw refusal;
        }
        if (first && mode.isMissed()) {
            LOG.warn(mode.describe());
        } else if (first) {
            // Asked for only when it is in use: the look-up looks below the Java language.
            String access = mode.enabled() ? "; " + StringAccess.describe() : "";
            LOG.info(mode.describe() + access);
        }
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
