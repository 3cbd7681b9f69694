// CRC-32 as tables of transport streams have it (ISO 13818-1, annex A): not reflected, begun with ones.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0)
  return value
})

/** Of all bytes. */
export function crc32(bytes: Uint8Array): number {
  let value = 0xff_ff_ff_ff
  for (const byte of bytes) value = (value << 8) ^ (TABLE[((value >>> 24) ^ byte) & 0xff] ?? 0)
  return value >>> 0
}
