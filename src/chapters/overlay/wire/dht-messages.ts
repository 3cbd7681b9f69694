// Messages of the overlay's own DHT (IPv8, section 6); all signed, none with a global time. Target and token have 20
// bytes.

import { bool, counted, fixed, ip, key, list16, record, u32 } from './fields.ts'
import { signed } from './message.ts'

const bytes20 = fixed(20)
/** A node: where it is, and its public form. */
const node = record({ address: ip, publicKey: key })
const answer = { identifier: u32 }
const asked = { identifier: u32, lan: ip, target: bytes20 }

/** Asks whether a node is there. */
export const dhtPingRequest = signed(1, 'ping-request', answer)
/** Answers a ping. */
export const dhtPingResponse = signed(2, 'ping-response', answer)
/** Stores values (dht-value.ts) with the token of an earlier find. */
export const storeRequest = signed(3, 'store-request', {
  identifier: u32,
  token: bytes20,
  target: bytes20,
  values: list16,
})
/** The values were stored. */
export const storeResponse = signed(4, 'store-response', answer)
/** Asks for the values of a target from `offset` on, or for the nodes nearest to it. */
export const findRequest = signed(5, 'find-request', { ...asked, offset: u32, forceNodes: bool })
/** Values if there are any, else nodes; and a token for storing. */
export const findResponse = signed(6, 'find-response', {
  identifier: u32,
  token: bytes20,
  values: list16,
  nodes: counted(node),
})
/** Stores the sender itself under its mid. */
export const storePeerRequest = signed(7, 'store-peer-request', { identifier: u32, token: bytes20, target: bytes20 })
/** The sender was stored. */
export const storePeerResponse = signed(8, 'store-peer-response', answer)
/** Asks for a peer by its mid, and to be punctured by it. */
export const connectPeerRequest = signed(9, 'connect-peer-request', asked)
/** The peers stored under the target. */
export const connectPeerResponse = signed(10, 'connect-peer-response', { identifier: u32, nodes: counted(node) })
