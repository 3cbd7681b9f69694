// What traders say to each other about a trade. Types only; the overlay (src/chapters/market/core/market-mesh.ts) signs
// and carries them.

import type { OrderRef, OrderStatement } from './types.ts'

/** Why a proposal is declined. */
export const DECLINE_REASONS = [
  'other',
  'unknown order',
  'completed',
  'expired',
  'cancelled',
  'reserved',
  'price',
  'quantity',
  'suspended',
  'locks',
  'keys',
  'busy',
  'funds',
] as const
/** One of them; on the wire its place in the list. */
export type DeclineReason = (typeof DECLINE_REASONS)[number]

/** One message. Keys, hash and locks as in LegTerms. */
export type NegotiationMessage =
  /** To the owner of `order`: this statement crosses it. */
  | { readonly kind: 'match'; readonly order: OrderRef; readonly statement: OrderStatement }
  /**
   * By the owner of the newer order (`statement`), who becomes the initiator, to the owner of `order`. Its claimKey is
   * of the second leg, its refundKey of the first.
   */
  | {
      readonly kind: 'propose'
      readonly id: string
      readonly statement: OrderStatement
      readonly order: OrderRef
      readonly quantity: bigint
      readonly price: bigint
      readonly timeMs: number
      readonly hash: string
      readonly claimKey: string
      readonly refundKey: string
      readonly firstLockS: number
      readonly secondLockS: number
    }
  /** Its claimKey is of the first leg, its refundKey of the second. */
  | { readonly kind: 'accept'; readonly id: string; readonly claimKey: string; readonly refundKey: string }
  /** Less is left: so much can be proposed. */
  | { readonly kind: 'counter'; readonly id: string; readonly quantity: bigint }
  | { readonly kind: 'decline'; readonly id: string; readonly reason: DeclineReason }
  /** A leg is funded by this transaction: look. */
  | { readonly kind: 'funded'; readonly id: string; readonly txid: string }
