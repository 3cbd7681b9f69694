// Changes in a transport stream, packet by packet.

const PACKET_BYTES = 188
const NOTHING = 0x1f_ff

/** The stream with the packets of one PID made empty: its streams are declared, and one of them never comes. */
export function silenced(bytes: Uint8Array, pid: number): Buffer {
  const stream = Buffer.from(bytes)
  for (let at = 0; at + PACKET_BYTES <= stream.length; at += PACKET_BYTES) {
    const word = stream.readUInt16BE(at + 1)
    if ((word & 0x1f_ff) === pid) stream.writeUInt16BE((word & 0xe0_00) | NOTHING, at + 1)
  }
  return stream
}
