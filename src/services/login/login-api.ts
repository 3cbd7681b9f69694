// The part of api.ts that is about signing in by a link: a code that works once is exchanged for a key of its own.

import type { KeyScope } from '../../ports/key-list.ts'
import type { NewKeyRecord } from '../callers-api.ts'

/** What a code is asked for. */
export interface LoginOrder {
  /** Of the key that it is exchanged for. */
  readonly scopes: readonly string[]
  /** False: by this machine and its local network alone. */
  readonly anywhere: boolean
}

/** A code that was just made. */
export interface LoginOffer {
  /** Names it where it is looked at or taken back; nothing can be opened with it. */
  id: string
  /** 32 characters of base64url, 192 bits: shown this once. */
  code: string
  scopes: KeyScope[]
  /** Seconds since 1970. */
  expires: number
}

/** How it stands with a code. */
export interface LoginState {
  id: string
  /** `waiting`: nobody has used it; `used`: it was exchanged, or tried from elsewhere; `expired`: too late. */
  state: 'waiting' | 'used' | 'expired'
  /** Name of the key that was made; '' = none. */
  name: string
}

/** Codes that sign a browser in (extra). They are in memory alone: a node that was restarted knows none. */
export interface LoginService {
  /** AppError InvalidParameter (scopes). */
  offer(order: LoginOrder): LoginOffer
  /** AppError LoginCodeUnknown. */
  look(id: string): LoginState
  /** Nothing opens with it any more. AppError LoginCodeUnknown. */
  withdraw(id: string): LoginState
  /**
   * Exchanges a code for a key, named after the device; a number makes the name one of its own. `isNear`: the client is
   * of this machine or its local network. A code whose key could not be made is not spent. AppErrors LoginCodeUnknown,
   * LoginCodeUsed, LoginCodeExpired, LoginCodeElsewhere (it is spent by that), and those of KeysService.add().
   */
  take(code: string, device: string, isNear: boolean): Promise<NewKeyRecord>
}
