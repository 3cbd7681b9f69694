// Codes that sign a browser in: made by whoever has a key, exchanged once for a key of its own within minutes. In
// memory alone, as hashes, compared in constant time. Bounded: so many at a time, the oldest goes first (decision
// 0553).

import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { KEY_SCOPES, type KeyScope } from '../../ports/key-list.ts'
import type { Random } from '../../ports/random.ts'
import type { KeysService, NewKeyRecord } from '../callers-api.ts'
import type { LoginOffer, LoginOrder, LoginService, LoginState } from './login-api.ts'

/** 192 bits: 32 characters of base64url. */
const CODE_BYTES = 24
/** How long a code works. */
export const LOGIN_CODE_MS = 10 * 60 * 1000
/** Codes that are known, used and expired ones too: of those it can be said what became of them. */
export const MAX_LOGIN_CODES = 32
/** Of a name that is taken so many with numbers are tried; there are at most 64 keys. */
const MAX_NUMBER = 64
/** The name of a key has at most 64 characters; the number needs three. */
const MAX_DEVICE = 60

/** What it needs. */
export interface LoginDeps {
  readonly clock: Clock
  readonly random: Random
  readonly keys: KeysService
}

interface Code {
  readonly id: string
  readonly hash: Buffer
  readonly scopes: readonly KeyScope[]
  readonly anywhere: boolean
  /** Of the clock that never goes back, and of the one that goes on while the machine sleeps. */
  readonly ends: { readonly ms: number; readonly wallMs: number }
  used: boolean
  /** Of the key that was made. */
  name: string
}

/** Codes that sign a browser in. */
export class LoginCodes implements LoginService {
  readonly #deps: LoginDeps
  /** The oldest first. */
  #codes: Code[] = []
  #made = 0

  constructor(deps: LoginDeps) {
    this.#deps = deps
  }

  offer({ scopes, anywhere }: LoginOrder): LoginOffer {
    const known = KEY_SCOPES.filter(scope => scopes.includes(scope))
    if (known.length === 0 || scopes.some(scope => !known.includes(scope as KeyScope)))
      throw new AppError('InvalidParameter', `scopes: must be some of ${KEY_SCOPES.join(', ')}.`)
    const { clock, random } = this.#deps
    const code = Buffer.from(random.bytes(CODE_BYTES)).toString('base64url')
    const ends = { ms: clock.now() + LOGIN_CODE_MS, wallMs: clock.wallMs() + LOGIN_CODE_MS }
    const id = String((this.#made += 1))
    this.#codes = [
      ...this.#codes.slice(1 - MAX_LOGIN_CODES),
      { id, hash: hashOf(code), scopes: known, anywhere, ends, used: false, name: '' },
    ]
    return { id, code, scopes: [...known], expires: Math.floor(ends.wallMs / 1000) }
  }

  look(id: string): LoginState {
    return this.#stateOf(this.#named(id))
  }

  withdraw(id: string): LoginState {
    const code = this.#named(id)
    code.used = true
    return this.#stateOf(code)
  }

  async take(given: string, device: string, isNear: boolean): Promise<NewKeyRecord> {
    const code = this.#find(given)
    if (code === null) throw new AppError('LoginCodeUnknown')
    if (code.used) throw new AppError('LoginCodeUsed')
    if (this.#isOver(code)) throw new AppError('LoginCodeExpired')
    // Before anything is waited for: of two that use it at once one is too late.
    code.used = true
    if (!isNear && !code.anywhere) throw new AppError('LoginCodeElsewhere')
    try {
      const key = await this.#deps.keys.add(this.#freeName(device), code.scopes)
      code.name = key.name
      return key
    } catch (error) {
      code.used = false
      throw error
    }
  }

  #named(id: string): Code {
    const code = this.#codes.find(known => known.id === id)
    if (code === undefined) throw new AppError('LoginCodeUnknown')
    return code
  }

  /** All are compared, so that the time tells nothing. */
  #find(given: string): Code | null {
    const hash = hashOf(given)
    let found: Code | null = null
    for (const code of this.#codes) if (timingSafeEqual(code.hash, hash)) found = code
    return found
  }

  #isOver({ ends }: Code): boolean {
    return this.#deps.clock.now() >= ends.ms || this.#deps.clock.wallMs() >= ends.wallMs
  }

  #stateOf(code: Code): LoginState {
    const waits = this.#isOver(code) ? 'expired' : 'waiting'
    return { id: code.id, state: code.used ? 'used' : waits, name: code.name }
  }

  #freeName(device: string): string {
    const name = device.slice(0, MAX_DEVICE)
    const taken = new Set(this.#deps.keys.list().keys.map(key => key.name))
    if (!taken.has(name)) return name
    for (let number = 2; number <= MAX_NUMBER; number++) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`
    return name
  }
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
