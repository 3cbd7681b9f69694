// One attempt of a downloader to meet a seeder (8.4): create-e2e through an introduction point, a circuit to the
// rendezvous point that the seeder names, and link-e2e there.

import { DecodeError } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { HandshakeStart, SessionKeys } from '../../overlay/ports/overlay-crypto.ts'
import { type createdE2e, createE2e, linkE2e, rendezvousInfo } from '../wire/hidden-messages.ts'
import { decodePayload, encodeCellMessage, type PayloadOf } from '../../overlay/wire/message.ts'
import { encodePacket } from '../../overlay/wire/packet.ts'
import { isCircuitKey } from '../../overlay/wire/public-key.ts'
import type { Answers } from './hidden-answers.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import { isSomewhere } from './hidden-points.ts'
import type { HiddenCircuit, HiddenCrypto, HiddenHost } from './hidden-seam.ts'
import type { RendezvousWay } from './hidden-ways.ts'

/** An answer of a seeder, copied. */
export type CreatedE2e = PayloadOf<typeof createdE2e>

/** What attempts work with. */
export interface AttemptDeps {
  readonly host: HiddenHost
  readonly crypto: HiddenCrypto
  readonly created: Answers<CreatedE2e>
  readonly linked: Answers<true>
  readonly counts: HiddenCounts
  /** The first 22 bytes of packets of the tunnel overlay. */
  readonly prefix: Uint8Array
}

/** One attempt. */
export interface Attempt extends RendezvousWay {
  readonly lookup: Uint8Array
  /** Of the download. */
  readonly hops: number
  readonly signal: AbortSignal
  /** Something answered: the seeder, then the last hop of the circuit to the rendezvous point. */
  readonly heard: () => void
}

/** A circuit that is linked with a seeder's, and the keys of the layer between it and us. */
export interface LinkedCircuit {
  readonly circuit: HiddenCircuit
  readonly keys: SessionKeys
}

/** Where a seeder waits. */
interface Rendezvous {
  readonly address: PeerAddress
  readonly publicKey: Uint8Array
  readonly cookie: Uint8Array
  readonly keys: SessionKeys
}

/** Runs one; null: it came to nothing, and its keys are wiped. Rejects as HiddenHost.build. */
export async function attemptRendezvous(attempt: Attempt, deps: AttemptDeps): Promise<LinkedCircuit | null> {
  const handshake = deps.crypto.begin()
  const rendezvous = await askSeeder(attempt, handshake, deps).finally(() => handshake.wipe())
  if (rendezvous === null) return null
  let circuit: HiddenCircuit | null = null
  try {
    attempt.heard()
    circuit = attempt.signal.aborted ? null : await linkAt(rendezvous, attempt, deps)
  } finally {
    if (circuit === null) rendezvous.keys.wipe()
  }
  return circuit === null ? null : { circuit, keys: rendezvous.keys }
}

async function askSeeder(
  { contact, point, lookup }: Attempt,
  handshake: HandshakeStart,
  { created, counts, prefix }: AttemptDeps,
): Promise<Rendezvous | null> {
  const { seederKey: publicKey, address } = point
  const { ephemeral } = handshake
  const answer = await created.ask(contact, identifier =>
    contact.sendData(address, encodePacket(prefix, createE2e, { identifier, infoHash: lookup, publicKey, ephemeral })),
  )
  const finished = answer === null ? null : handshake.finish(publicKey, answer, answer.rendezvous)
  const rendezvous = finished === null ? null : rendezvousOf(finished.text, finished.keys)
  if (answer !== null && rendezvous === null) counts.forged++
  return rendezvous
}

async function linkAt(
  { address, publicKey, cookie }: Rendezvous,
  { hops, signal, heard }: Attempt,
  { host, linked }: AttemptDeps,
): Promise<HiddenCircuit | null> {
  const last = { publicKey, address: isSomewhere(address) ? address : null }
  const circuit = await host.build({ purpose: 'rendezvous-downloader', hops: hops + 1, last }, signal)
  heard()
  const done = await linked.ask(circuit, identifier => circuit.send(encodeCellMessage(linkE2e, { identifier, cookie })))
  if (done !== null && !signal.aborted) return circuit
  circuit.remove(signal.aborted ? 'another one was sooner' : 'the rendezvous point did not link it')
  return null
}

/** Null, and the keys wiped: it cannot be read. */
function rendezvousOf(info: Uint8Array, keys: SessionKeys): Rendezvous | null {
  try {
    const { address, publicKey, cookie } = decodePayload(rendezvousInfo, info).info
    if (isCircuitKey(publicKey)) return { address, publicKey, cookie, keys }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
  }
  keys.wipe()
  return null
}
