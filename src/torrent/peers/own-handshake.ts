// Our extended handshake (BEP 10): what it says of us, and the ids under which we want the peer's messages.

import type { PeerAddress } from '../../base/ids.ts'
import { parseIp } from '../../wire/net/compact-address.ts'
import { encodeExtendedHandshake } from '../../wire/peer/extension.ts'
import { LT_DONTHAVE } from '../../wire/peer/lt-donthave.ts'
import { UPLOAD_ONLY } from '../../wire/peer/upload-only.ts'
import { UT_HOLEPUNCH } from '../../wire/peer/ut-holepunch.ts'
import { UT_METADATA } from '../../wire/peer/ut-metadata.ts'
import { UT_PEX } from '../../wire/peer/ut-pex.ts'
import { UPLOAD_QUEUE } from './peer-uploads.ts'
import type { SwarmParts } from '../swarm-parts.ts'

/**
 * Our id for the messages of each extension. They never change: a peer may use an id before it has read a newer
 * handshake.
 */
export const OUR_IDS = {
  [UT_METADATA]: 1,
  [UT_PEX]: 2,
  [UT_HOLEPUNCH]: 3,
  [LT_DONTHAVE]: 4,
  [UPLOAD_ONLY]: 5,
} as const

/** What the handshake is made of. */
export interface HandshakeTorrent {
  readonly engine: {
    readonly options: { readonly version: string }
    readonly listenPort: number
    readonly deps: { readonly swarm?: SwarmParts }
  }
  readonly content: { readonly metainfo: { readonly infoBytes: Uint8Array } } | null
}

/** What is offered and told now, besides what never changes. */
export interface HandshakeState {
  /** Peers may be exchanged. */
  readonly exchange: boolean
  /** Introductions may be asked of us and given to us. */
  readonly holepunch: boolean
  /** We want nothing (BEP 21). */
  readonly uploadOnly: boolean
}

/**
 * The payload of our extended handshake to a peer at `remote`. What is not offered is switched off, should it have
 * been.
 */
export function ownHandshake(torrent: HandshakeTorrent, remote: PeerAddress, state: HandshakeState): Uint8Array {
  const { engine, content } = torrent
  return encodeExtendedHandshake({
    m: new Map<string, number>([
      [UT_METADATA, OUR_IDS[UT_METADATA]],
      [UT_PEX, state.exchange ? OUR_IDS[UT_PEX] : 0],
      [UT_HOLEPUNCH, state.holepunch ? OUR_IDS[UT_HOLEPUNCH] : 0],
      [LT_DONTHAVE, OUR_IDS[LT_DONTHAVE]],
      [UPLOAD_ONLY, OUR_IDS[UPLOAD_ONLY]],
    ]),
    version: `Tributary ${engine.options.version}`,
    listenPort: engine.listenPort > 0 ? engine.listenPort : null,
    metadataSize: content?.metainfo.infoBytes.length ?? null,
    requestQueue: UPLOAD_QUEUE,
    yourIp: engine.deps.swarm?.standsForCircuit?.(remote.ip) === true ? null : parseIp(remote.ip),
    uploadOnly: state.uploadOnly,
  })
}
