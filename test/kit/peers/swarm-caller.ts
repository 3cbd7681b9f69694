// A peer that knows an info hash and connects to a node with it, by TCP or uTP, with or without encryption, and notes
// what comes back, which shows whether the node knows that info hash.

import { randomBytes } from 'node:crypto'
import type { InfoHash, PeerAddress } from '../../../src/base/ids.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import { SystemRandom } from '../../../src/io/random.ts'
import type { TcpNetwork, TcpStream } from '../../../src/ports/tcp.ts'
import type { LinkKind } from '../../../src/torrent/peers/connection-policy.ts'
import { StreamEncryption } from '../../../src/torrent/peers/stream-encryption.ts'
import { encodeHandshake } from '../../../src/wire/peer/handshake.ts'
import { waitFor } from '../wait-for.ts'

/**
 * The key of the other side of an encrypted handshake with the longest padding: what a node sends before it knows the
 * torrent.
 */
const KEY_BYTES = 96 + 512

/** What one call has seen. */
export interface SwarmCall {
  /** A BitTorrent handshake came. */
  readonly greeted: boolean
  /** The encrypted handshake was answered to its end. */
  readonly agreed: boolean
  /** Bytes that came; of an encrypted call without the key of the other side. */
  readonly bytes: number
  readonly closed: boolean
  end(): void
}

/** How to call. `silent`: nothing is said beyond the encrypted handshake. */
export interface CallOptions {
  readonly network: TcpNetwork
  readonly kind: LinkKind
  readonly silent?: boolean
}

/** Connects to `to` with `infoHash` in the handshake. */
export function callSwarm(infoHash: string, to: PeerAddress, { network, kind, silent }: CallOptions): SwarmCall {
  const seen = { greeted: false, raw: 0, closed: false }
  const encryption = new StreamEncryption(
    { mode: 'prefer', methods: 'both' },
    { clock: new SystemClock(), random: new SystemRandom(), defect: () => undefined },
  )
  const options = { localIp: null, timeoutMs: 10_000 }
  const stream: TcpStream = encryption.connect(
    kind,
    infoHash as InfoHash,
    {
      open: () => {
        if (silent !== true) stream.write(handshakeOf(infoHash))
      },
      data: () => {
        seen.greeted = true
      },
      drain: () => undefined,
      close: () => {
        seen.closed = true
      },
    },
    handlers =>
      network.connect(to, options, {
        open: () => handlers.open?.(),
        data: chunk => {
          seen.raw += chunk.length
          handlers.data(chunk)
        },
        drain: () => handlers.drain(),
        close: error => handlers.close(error),
      }),
  )
  return {
    get greeted() {
      return seen.greeted
    },
    get agreed() {
      return (stream.encryption ?? null) !== null
    },
    get bytes() {
      return kind === 'plain' ? seen.raw : Math.max(0, seen.raw - KEY_BYTES)
    },
    get closed() {
      return seen.closed
    },
    end: () => stream.destroy(),
  }
}

/**
 * What the node shows a peer that connects with `infoHash`: that it has it, or that it is as any other. Settles when
 * that is known.
 */
export async function shownTo(
  infoHash: string,
  to: PeerAddress,
  options: CallOptions,
): Promise<'has it' | 'a stranger'> {
  const call = callSwarm(infoHash, to, options)
  await waitFor('the call is answered or ended', () => call.greeted || call.closed)
  const stranger = call.closed && !call.greeted && !call.agreed && call.bytes === 0
  call.end()
  return stranger ? 'a stranger' : 'has it'
}

/** An info hash that nobody has. */
export function unknownInfoHash(): string {
  return randomBytes(20).toString('hex')
}

function handshakeOf(infoHash: string): Uint8Array {
  return encodeHandshake({
    infoHash: infoHash as InfoHash,
    peerId: randomBytes(20),
    extensions: { fast: true, extended: true, dht: false },
  })
}
