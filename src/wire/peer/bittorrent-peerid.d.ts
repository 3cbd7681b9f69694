// Types of the package, which has none.

declare module 'bittorrent-peerid' {
  /** Names the client of a 20-byte peer id. Throws for other lengths and for anything but a Buffer or string. */
  export default function parsePeerId(peerId: Buffer): { client: string; version?: string | number | null }
}
