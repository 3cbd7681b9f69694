// Messages between traders as payloads of the overlay of the market and back: each kind has its row of
// market-messages.ts, whose fields have the names of the message, behind the envelope that names the receiver.

import { DecodeError } from '../../../base/errors.ts'
import type { Shape, ValuesOf } from '../../overlay/wire/fields.ts'
import { accept, counter, decline, funded, match, propose } from './market-messages.ts'
import type { PacketMessage } from '../../overlay/wire/message.ts'
import { DECLINE_REASONS, type NegotiationMessage } from './negotiation.ts'
import type { TraderId } from './types.ts'

/** What every message between traders says beside its own. */
export interface Envelope {
  readonly to: TraderId
  /** 16 hexadecimal digits by chance. */
  readonly nonce: string
  /** Unix time, milliseconds. */
  readonly saidMs: number
}

/** Row of each kind. */
export const NEGOTIATION_MESSAGES = { match, propose, accept, counter, decline, funded } as const satisfies Record<
  NegotiationMessage['kind'],
  PacketMessage
>

/** The row of a message, and its values. */
export interface NegotiationPayload {
  readonly message: PacketMessage
  readonly values: ValuesOf<Shape>
}

/** The payload of a message. That its values fit their fields is seen when it is written. */
export function negotiationPayload(said: NegotiationMessage, envelope: Envelope): NegotiationPayload {
  const own = said.kind === 'decline' ? { ...said, reason: DECLINE_REASONS.indexOf(said.reason) } : said
  return { message: NEGOTIATION_MESSAGES[said.kind], values: { ...own, ...envelope } }
}

/** The message whose row has these values, and its envelope. Throws DecodeError for a reason that is not known. */
export function negotiationOf(
  kind: NegotiationMessage['kind'],
  values: ValuesOf<Shape>,
): { readonly said: NegotiationMessage; readonly envelope: Envelope } {
  const { to, nonce, saidMs, ...own } = values
  const reason = kind === 'decline' ? { reason: reasonOf(own['reason'] as number) } : {}
  // The fields of the row are those of the kind, by their names:
  // test/chapters/market/unit/wire/negotiation-payloads.test.ts sends each.
  return { said: { kind, ...own, ...reason } as NegotiationMessage, envelope: { to, nonce, saidMs } as Envelope }
}

function reasonOf(place: number): (typeof DECLINE_REASONS)[number] {
  const reason = DECLINE_REASONS[place]
  if (reason === undefined) throw new DecodeError('a reason that is not known')
  return reason
}
