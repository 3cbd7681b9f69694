// Messages of hidden services (IPv8, section 8): introduction points, rendezvous points, and the handshake from end to
// end. peersRequest and peersResponse also travel as packets: encodeUnwrapped.

import { counted, fixed, ip, key, nested, raw, u16, u8, v16Of } from '../../overlay/wire/fields.ts'
import { inCell, unsigned } from '../../overlay/wire/message.ts'

const bytes20 = fixed(20)
const cookie = { identifier: u16, cookie: bytes20 }
const plain = { identifier: u16 }

/** Where an introduction point was heard of. */
export const PEER_SOURCE = { unknown: 0, dht: 1, pex: 2 } as const

/** A seeder asks the last hop to be its introduction point. */
export const establishIntro = inCell(9, 'establish-intro', { identifier: u16, infoHash: bytes20, publicKey: key })
/** The last hop is one. */
export const introEstablished = inCell(10, 'intro-established', plain)
/** A seeder asks the last hop to be the rendezvous point for a cookie. */
export const establishRendezvous = inCell(11, 'establish-rendezvous', cookie)
/** The last hop is one, at this address. */
export const rendezvousEstablished = inCell(12, 'rendezvous-established', { identifier: u16, address: ip })
/** A downloader asks the rendezvous point to link its circuit with that of the cookie. */
export const linkE2e = inCell(15, 'link-e2e', cookie)
/** They are linked. */
export const linkedE2e = inCell(16, 'linked-e2e', plain)
/** Asks for introduction points of a swarm. */
export const peersRequest = inCell(17, 'peers-request', { identifier: u16, infoHash: bytes20 })
/** `source`: PEER_SOURCE. */
export const peersResponse = inCell(18, 'peers-response', {
  identifier: u16,
  infoHash: bytes20,
  peers: counted(nested({ address: ip, publicKey: key, seederKey: key, source: u8 })),
})

/** A downloader's half of the handshake with the seeder that has this key. */
export const createE2e = unsigned(13, 'create-e2e', {
  identifier: u16,
  infoHash: bytes20,
  publicKey: key,
  ephemeral: v16Of(32),
})
/** `rendezvous`: an encrypted rendezvousInfo. */
export const createdE2e = unsigned(14, 'created-e2e', {
  identifier: u16,
  ephemeral: v16Of(32),
  auth: fixed(32),
  rendezvous: raw,
})

/** Where the seeder waits; for encodePayload and decodePayload. */
export const rendezvousInfo = {
  fields: { info: nested({ address: ip, publicKey: key, cookie: bytes20 }) },
} as const
