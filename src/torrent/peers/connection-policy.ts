// Which connections are encrypted: what the settings say, how an incoming one is recognised, in which order an address
// is tried (each kind by TCP before uTP alone), and what is remembered of it. Pure. Invariant: under `require` no kind
// but 'encrypted' is ever answered, whatever failed before: disturbing encrypted handshakes must not get plain ones
// from us.

import type { MseMethod } from '../../wire/mse/mse-handshake.ts'
import { startsLikeHandshake } from '../../wire/peer/handshake.ts'

/**
 * `prefer`: encrypted first, plain when that fails. `allow`: plain first, encrypted when that fails. Both take what
 * comes. `require`: encrypted only, both ways. `off`: plain only, both ways.
 */
export type EncryptionMode = 'prefer' | 'require' | 'allow' | 'off'

/** All modes, as a setting may name them. */
export const ENCRYPTION_MODES: readonly EncryptionMode[] = ['prefer', 'require', 'allow', 'off']

/** What may follow an encrypted handshake: RC4 for everything, nothing (only the handshake is hidden), or either. */
export type EncryptionMethods = 'both' | 'rc4' | 'plaintext'

/** The settings. */
export interface EncryptionSettings {
  readonly mode: EncryptionMode
  readonly methods: EncryptionMethods
}

/** Plain connections only, both ways. */
export const NO_ENCRYPTION: EncryptionSettings = { mode: 'off', methods: 'both' }

/** The two kinds of connection. */
export type LinkKind = 'plain' | 'encrypted'

/**
 * The methods of `settings`, the one that is wanted most first: RC4 only where encryption is asked for, it costs time.
 */
export function methodsOf(settings: EncryptionSettings): readonly MseMethod[] {
  if (settings.methods !== 'both') return [settings.methods]
  return settings.mode === 'allow' ? ['plaintext', 'rc4'] : ['rc4', 'plaintext']
}

/** Whether an incoming connection of this kind is taken. */
export function accepts(mode: EncryptionMode, kind: LinkKind): boolean {
  return mode !== (kind === 'plain' ? 'require' : 'off')
}

/** Bytes that tell the kind of every incoming connection: 19 and `BitTorrent protocol`. */
export const TELLING_BYTES = 20

/** The kind of an incoming connection by its first bytes, any number of them; null while they tell nothing. */
export function kindOf(first: Uint8Array): LinkKind | null {
  if (!startsLikeHandshake(first)) return 'encrypted'
  return first.length < TELLING_BYTES ? null : 'plain'
}

/** What is remembered of an address. */
export interface LinkMemory {
  /** The kind that last came through the BitTorrent handshake. */
  worked: LinkKind | null
  /** The kind that was tried first in the present series and failed after the stream had opened. */
  failed: LinkKind | null
  /** TCP takes connections there and says nothing by them: uTP alone is tried, until that fails too. */
  utpAlone: boolean
}

/** The memory of an unknown address. */
export function newLinkMemory(): LinkMemory {
  return { worked: null, failed: null, utpAlone: false }
}

/** The kind to try next. */
export function nextKind(mode: EncryptionMode, memory: LinkMemory): LinkKind {
  if (mode === 'require') return 'encrypted'
  if (mode === 'off') return 'plain'
  if (memory.failed !== null) return otherKind(memory.failed)
  return memory.worked ?? (mode === 'prefer' ? 'encrypted' : 'plain')
}

/**
 * Notes that a connection of this kind ended before the other side's handshake; `opened`: the stream itself came about.
 * Answers whether to try the other kind at once: once in a series, and only where the mode has another kind.
 */
export function noteFailure(mode: EncryptionMode, memory: LinkMemory, kind: LinkKind, opened: boolean): boolean {
  const second = memory.failed !== null
  memory.failed = null
  // No answer from there: that says nothing of encryption.
  if (!opened || mode === 'require' || mode === 'off') return false
  if (second) {
    memory.worked = null
    return false
  }
  memory.failed = kind
  return true
}

/**
 * Notes that no kind is left to try; `muteByTcp`: TCP opened the last connection, and no handshake came by it. Answers
 * whether to begin again at once by uTP alone, which is where the next series starts then: a listener that takes TCP
 * only to end it says nothing of encryption by that (decision 0529).
 */
export function noteSeriesFailed(memory: LinkMemory, muteByTcp: boolean): boolean {
  memory.utpAlone = muteByTcp && !memory.utpAlone
  return memory.utpAlone
}

/** Notes that a connection of this kind came through the other side's handshake. */
export function noteSuccess(memory: LinkMemory, kind: LinkKind): void {
  memory.worked = kind
  memory.failed = null
}

function otherKind(kind: LinkKind): LinkKind {
  return kind === 'plain' ? 'encrypted' : 'plain'
}
