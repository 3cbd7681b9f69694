// What the protocols of port mapping have in common, as route-mapper.ts uses them: types, and the one error they throw.

import type { MapProtocol } from '../wire/net/nat-pmp.ts'

/** A mapping that is wanted. Ports from 1 to 65535. */
export interface MapOrder {
  readonly protocol: MapProtocol
  /** Where this node listens. */
  readonly internalPort: number
  /** The one we would like outside. */
  readonly externalPort: number
  readonly lifetimeSec: number
}

/** A mapping that is in force. */
export interface Mapped {
  readonly externalPort: number
  /** Null when the gateway does not tell. */
  readonly externalIp: string | null
  /** How long it lasts; renewed long before. */
  readonly lifetimeSec: number
  /** The gateway has lost its state since the last answer: every mapping must be made again. */
  readonly restarted: boolean
}

/**
 * `unsupported`: the gateway does not speak this (or at all): try another protocol. `refused`: it does not want to.
 * `temporary`: not now.
 */
export type MapFailure = 'unsupported' | 'refused' | 'temporary'

/** A mapping that did not come about. */
export class MapError extends Error {
  readonly failure: MapFailure
  constructor(failure: MapFailure, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'MapError'
    this.failure = failure
  }
}

/** One protocol spoken with one gateway. */
export interface MappingClient {
  readonly name: 'PCP' | 'NAT-PMP' | 'UPnP'
  /** Makes or renews a mapping. Rejects with MapError; as `temporary` when the signal fires. */
  map(order: MapOrder, signal: AbortSignal): Promise<Mapped>
  /** Takes a mapping away; `externalPort` is the one that was given. Rejects as map(). */
  unmap(order: MapOrder, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** The address outside as a gateway tells it; null when it has none: gateways then tell the unspecified one. */
export function toldIp(ip: string | null): string | null {
  return ip === '0.0.0.0' || ip === '::' ? null : ip
}

/** What the result codes of a protocol mean, for people too. */
export type MapResults = Readonly<Record<number, readonly [MapFailure, string]>>

/** The error that a result code of a gateway means. */
export function mapErrorOf(result: number, results: MapResults): MapError {
  const [failure, text] = results[result] ?? ['temporary', `the gateway answers with result ${result}`]
  return new MapError(failure, text)
}
