// A seeder's offer to a downloader (8.4, step 3): a circuit whose last hop knows a cookie of ours, and the info that
// leads there.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Random } from '../../../ports/random.ts'
import { establishRendezvous, rendezvousInfo } from '../wire/hidden-messages.ts'
import { encodeCellMessage, encodePayload } from '../../overlay/wire/message.ts'
import type { Answers } from './hidden-answers.ts'
import type { HiddenCircuit, HiddenHost } from './hidden-seam.ts'

const COOKIE_BYTES = 20

/** A rendezvous point that waits. */
export interface RendezvousOffer {
  readonly circuit: HiddenCircuit
  /** Where the downloader goes, in clear. */
  readonly info: Uint8Array
}

/** Makes one; null: the rendezvous point did not answer. Rejects as HiddenHost.build. `hops`: of the download. */
export async function prepareRendezvous(
  hops: number,
  signal: AbortSignal,
  deps: { readonly host: HiddenHost; readonly established: Answers<PeerAddress>; readonly random: Random },
): Promise<RendezvousOffer | null> {
  const circuit = await deps.host.build({ purpose: 'rendezvous-seeder', hops, last: 'relay' }, signal)
  const cookie = deps.random.bytes(COOKIE_BYTES)
  const address = await deps.established.ask(circuit, identifier =>
    circuit.send(encodeCellMessage(establishRendezvous, { identifier, cookie })),
  )
  if (address === null || signal.aborted) {
    circuit.fail('the rendezvous point did not answer')
    return null
  }
  return { circuit, info: encodePayload(rendezvousInfo, { info: { address, publicKey: circuit.lastHop, cookie } }) }
}
