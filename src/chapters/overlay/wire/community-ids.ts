// Names of the overlays (IPv8, section 3): 20 bytes, in hexadecimal.

/** Community ids. */
export const COMMUNITY_IDS = {
  /** Discovery: tells which overlays a peer is in. */
  discovery: '7e313685c1912a141279f8248fc8db5899c5df5a',
  /** The overlay's own DHT. */
  dht: '8d0be1845d74d175f178197cad001591d04d73cc',
  /** Circuits on the live network. */
  tunnels: 'a3591a6bd89bbaca0974062a1287afcfbc6fd6bc',
  /** Circuits of py-ipv8 as it comes, for tests. */
  plainTunnels: '81ded07332bdc775aa5a46f96de9f8f390bbc9f3',
  /** Channels: ours alone, the SHA-1 of the text `tributary channels 1`. */
  channels: '2b92245890f31980a047d55288f8b84e2a218330',
  /** The market: ours alone, the SHA-1 of the text `tributary market 1`. */
  market: '22d5236d8aa8329504049cb32186bfcf2ee46a2c',
} as const

/** The 20 bytes that 40 hexadecimal digits of any case spell, or null. */
export function communityIdBytes(text: string): Uint8Array | null {
  return /^[0-9a-f]{40}$/i.test(text) ? new Uint8Array(Buffer.from(text, 'hex')) : null
}
