// CRC-32 as zlib, PNG and Ethernet have it (ISO 3309): reflected polynomial 0x04c11db7, all ones at start and end.

const POLYNOMIAL = 0xedb88320

/** The checksum of `bytes`: an unsigned 32-bit number. Bit by bit, since it is used for few bytes at a time. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL
  }
  return (crc ^ 0xffffffff) >>> 0
}
