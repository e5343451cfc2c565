// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** A view that no class of Flink knows. */
final class ForeignOutput extends DataOutputStream implements DataOutputView {

    ForeignOutput(ByteSink sink) {
        super(sink);
    }

    @Override
    public void skipBytesToWrite(int numBytes) throws IOException {
        for (int i = 0; i < numBytes; i++) {
            write(0);
        }
    }

    @Override
    public void write(DataInputView source, int numBytes) throws IOException {
        for (int i = 0; i < numBytes; i++) {
            write(source.readByte());
        }
    }
}
