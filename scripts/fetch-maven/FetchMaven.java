package org.flinkboost.fetchmaven;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Properties;
import javax.inject.Inject;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MavenSession;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;

/**
 * Makes the machine's Maven, with its own settings, fetch one file: {@code -Dfetch.artifact=…
 * -Dfetch.target=…}. Loaded with {@code maven.ext.class.path}, it needs no plugin, so nothing that
 * is fetched runs.
 */
@Named
@Singleton
public final class FetchMaven extends AbstractMavenLifecycleParticipant {

    @Inject private RepositorySystem system;

    @Override
    public void afterProjectsRead(MavenSession session) throws MavenExecutionException {
        Properties asked = session.getUserProperties();
        ArtifactRequest request =
                new ArtifactRequest(
                        new DefaultArtifact(asked.getProperty("fetch.artifact")),
                        session.getCurrentProject().getRemoteProjectRepositories(),
                        null);
        try {
            Path file =
                    system.resolveArtifact(session.getRepositorySession(), request)
                            .getArtifact()
                            .getFile()
                            .toPath();
            Files.copy(file, Paths.get(asked.getProperty("fetch.target")));
        } catch (ArtifactResolutionException | IOException e) {
            throw new MavenExecutionException(e.getMessage(), e);
        }
    }
}
