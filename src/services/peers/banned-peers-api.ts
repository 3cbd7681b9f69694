// Addresses that a user banned, as the interface shows and changes them (extra, decision 0564).

import type { Caller } from '../callers-api.ts'

/** GET, PUT and DELETE /peers/banned. */
export interface BannedPeersService {
  /** Canonical addresses, the newest last. */
  list(): readonly string[]
  /**
   * Bans an address: its connections are closed and no new ones made, in force and durable when settled; false: it was
   * banned. AppErrors InvalidParameter (no address of a peer), StateConflict (as many as may be, or a flag holds the
   * setting).
   */
  ban(ip: string, caller: Caller): Promise<boolean>
  /** Lifts a ban; false: there was none. AppErrors as ban(). */
  lift(ip: string, caller: Caller): Promise<boolean>
}
