// Bans by hand over the setting network.banned_peers: it is where they lie, so that they outlive a restart and whoever
// changes them by another door is seen too. What a ban does to connections is wired in node/.

import { AppError } from '../../base/errors.ts'
import { canonicalIp, isPeerIp, parseIp } from '../../wire/net/compact-address.ts'
import type { Caller } from '../callers-api.ts'
import type { SettingsService } from '../settings/settings-api.ts'
import type { BannedPeersService } from './banned-peers-api.ts'

/** Most addresses that can be banned; for more there are lists in files (network.ip_filter). */
export const MAX_BANNED = 1000

/** What it works with. */
export interface BannedPeersDeps {
  readonly settings: Pick<SettingsService, 'change'>
  /** Of the settings in force. */
  current(): readonly string[]
}

/** The one who changes them by request: each change sees what the one before it left. */
export class BannedPeers implements BannedPeersService {
  readonly #deps: BannedPeersDeps
  #turn: Promise<unknown> = Promise.resolve()

  constructor(deps: BannedPeersDeps) {
    this.#deps = deps
  }

  list(): readonly string[] {
    return [...new Set(this.#deps.current().map(ip => canonicalIp(ip) ?? ip))]
  }

  async ban(ip: string, caller: Caller): Promise<boolean> {
    const address = peerIp(ip)
    return this.#inTurn(async () => {
      const banned = this.list()
      if (banned.includes(address)) return false
      if (banned.length >= MAX_BANNED) {
        throw new AppError('StateConflict', `${MAX_BANNED} addresses are banned: lift a ban, or use an IP filter.`)
      }
      await this.#set([...banned, address], caller)
      return true
    })
  }

  async lift(ip: string, caller: Caller): Promise<boolean> {
    const address = peerIp(ip)
    return this.#inTurn(async () => {
      const banned = this.list()
      if (!banned.includes(address)) return false
      await this.#set(
        banned.filter(one => one !== address),
        caller,
      )
      return true
    })
  }

  async #set(banned: readonly string[], caller: Caller): Promise<void> {
    const { overridden } = await this.#deps.settings.change({ network: { banned_peers: [...banned] } }, caller)
    const [held] = overridden
    if (held === undefined) return
    throw new AppError('StateConflict', `The setting ${held} is set on the command line or by the environment.`)
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(change)
    this.#turn = done.catch(() => undefined)
    return done
  }
}

/** The canonical address; AppError InvalidParameter unless a peer can be there. */
function peerIp(text: string): string {
  const bytes = parseIp(text.trim())
  if (bytes === null || !isPeerIp(bytes)) {
    throw new AppError('InvalidParameter', 'ip: must be the IPv4 or IPv6 address of a peer, without a port.')
  }
  return canonicalIp(text.trim()) ?? text
}
