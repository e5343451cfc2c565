import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * Hadoop's own mini cluster: one file system, one resource manager, one node that starts containers as processes.
 *
 * <p>Arguments: a folder for its configuration, which appears there as {@code yarn-site.xml} when all is ready; the class path
 * of Hadoop for its containers; a folder for its files; folders of jars that become {@code /lib} of its file system. It ends
 * when its standard input does.
 */
public final class MiniYarn {

    public static void main(String[] arguments) throws Exception {
        Path configuration = Path.of(arguments[0]).toAbsolutePath();
        Path files = Path.of(arguments[2]).toAbsolutePath();
        System.setProperty("test.build.data", files.toString());

        YarnConfiguration wanted = new YarnConfiguration();
        wanted.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, files.resolve("hdfs").toString());
        wanted.set("yarn.scheduler.capacity.root.queues", "default");
        wanted.set("yarn.scheduler.capacity.root.default.capacity", "100");
        wanted.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0");
        wanted.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 128);
        wanted.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
        wanted.setBoolean(YarnConfiguration.NM_PMEM_CHECK_ENABLED, false);
        // A disk that is nearly full is no reason to start nothing.
        wanted.setFloat(YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE, 99.9f);
        // Containers find the resource manager by its configuration, as on a real node.
        wanted.set(
                YarnConfiguration.YARN_APPLICATION_CLASSPATH,
                configuration + "," + arguments[1].replace(':', ','));

        MiniDFSCluster storage = new MiniDFSCluster.Builder(wanted).numDataNodes(1).build();
        put(storage.getFileSystem(), Path.of(arguments[3]));
        try (MiniYARNCluster yarn = new MiniYARNCluster("flink-boost", 1, 1, 1)) {
            yarn.init(wanted);
            yarn.start();
            write(yarn.getConfig(), configuration);
            System.in.read();
        } finally {
            storage.shutdown();
        }
        System.exit(0);
    }

    private static void put(FileSystem storage, Path jars) throws IOException {
        storage.copyFromLocalFile(
                new org.apache.hadoop.fs.Path(jars.toUri()), new org.apache.hadoop.fs.Path("/lib"));
    }

    private static void write(Configuration found, Path folder) throws IOException {
        Files.createDirectories(folder);
        Configuration written = new Configuration(found);
        // A class of Hadoop's tests, which its clients do not have.
        written.unset("net.topology.node.switch.mapping.impl");
        Path aside = folder.resolve("yarn-site.xml.partial");
        try (OutputStream out = Files.newOutputStream(aside)) {
            written.writeXml(out);
        }
        Files.move(aside, folder.resolve("yarn-site.xml"));
    }
}
