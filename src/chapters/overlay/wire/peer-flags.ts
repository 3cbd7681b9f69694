// What a peer does for others: a bit mask in the extra bytes of its introductions in the tunnel overlay (IPv8, section
// 7.1).

/** Bits of the mask. */
export const PEER_FLAG = {
  relay: 1,
  /** Lets BitTorrent out. */
  exitBittorrent: 2,
  /** Lets packets of overlays out. */
  exitIpv8: 4,
  speedTest: 8,
  /** An exit for when there is no other. */
  backupExit: 16_384,
  /** Lets plain HTTP exchanges out. */
  exitHttp: 32_768,
} as const

/** The extra bytes for these flags (a sum of PEER_FLAG). */
export function encodePeerFlags(flags: number): Uint8Array {
  return Uint8Array.of((flags >>> 8) & 0xff, flags & 0xff)
}

/** The flags in extra bytes; fewer than two bytes are no flags, further ones are passed over. */
export function decodePeerFlags(extra: Uint8Array): number {
  return extra.length < 2 ? 0 : ((extra[0] as number) << 8) | (extra[1] as number)
}
