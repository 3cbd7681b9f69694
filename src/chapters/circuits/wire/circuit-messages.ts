// Messages that build, use and end circuits (IPv8, sections 7.5, 7.8, 10.2 and 10.3). Those of cells have no circuit id
// here: it is in the cell's header.

import { addr, fixed, ip, key, raw, u16, u32, v16, v16Of } from '../../overlay/wire/fields.ts'
import { inCell, signed } from '../../overlay/wire/message.ts'

/** A cell's own number as packet. */
export const CELL_ID = 0

/** Why a circuit ends; 0 is not passed on and must not be sent. */
export const DESTROY_REASON = { unknown: 1, shutdown: 2, unneeded: 4 } as const

const identifier = { identifier: u16 }
/** An ephemeral X25519 key, and the proof that the hop knows its own key. */
const answer = { identifier: u16, ephemeral: v16Of(32), auth: fixed(32), candidates: raw }

/** A datagram through a circuit; on its way back the destination is NO_ADDRESS and the origin its sender. */
export const data = inCell(1, 'data', { destination: addr, origin: addr, data: raw })
/** Asks a hop to join: the sender's public key, and the originator's ephemeral key. */
export const create = inCell(2, 'create', { identifier: u16, publicKey: key, ephemeral: v16Of(32) }, true)
/** `candidates`: encrypted, see candidates.ts. */
export const created = inCell(3, 'created', answer, true)
/** `address` may be NO_ADDRESS. */
export const extend = inCell(4, 'extend', { identifier: u16, publicKey: key, ephemeral: v16Of(32), address: ip })
/** What the new hop said in its created, passed back. */
export const extended = inCell(5, 'extended', answer)
/** Asks the last hop for a pong; keeps every hop alive. */
export const ping = inCell(6, 'ping', identifier)
/** Answers a ping. */
export const pong = inCell(7, 'pong', identifier)
/** Speed tests of Python: answered by `responseSize` bytes of anything. */
export const testRequest = inCell(19, 'test-request', { identifier: u16, responseSize: u16, data: raw })
/** Answers a testRequest. */
export const testResponse = inCell(20, 'test-response', { identifier: u16, data: raw })
/** Speed tests of Rust. */
export const longTestRequest = inCell(21, 'long test-request', { identifier: u32, responseSize: u16, data: raw })
/** Answers a longTestRequest. */
export const longTestResponse = inCell(22, 'long test-response', { identifier: u32, data: raw })
/** Asks an exit for one plain HTTP exchange. */
export const httpRequest = inCell(28, 'http-request', { identifier: u32, target: addr, request: v16 })
/** A part of the answer: http-parts.ts. */
export const httpResponse = inCell(29, 'http-response', { identifier: u32, part: u16, total: u16, data: v16 })

/** Not in a cell: signed by the neighbour it comes from. */
export const destroy = signed(8, 'destroy', { circuitId: u32, reason: u16 })
