// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.DataInputStream;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;

/** A view that no class of Flink knows, as state backends and connectors bring their own. */
final class ForeignInput extends DataInputStream implements DataInputView {

    ForeignInput(ByteSource source) {
        super(source);
    }

    @Override
    public void skipBytesToRead(int numBytes) throws IOException {
        for (int i = 0; i < numBytes; i++) {
            readByte();
        }
    }
}
