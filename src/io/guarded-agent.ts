// Connections whose address was judged: an undici Agent for one class of addresses. Names are resolved and filtered
// inside the connect itself, and the connected socket is judged once more, so the address that was checked is the
// address that is used, whatever a name server says a moment later.

import type { LookupFunction, Socket } from 'node:net'
import type { Agent, buildConnector as Connectors } from 'undici'
import { AppError } from '../base/errors.ts'
import type { AddressClass, NameResolver } from '../ports/name-resolver.ts'
import type { AddressPolicy } from './address-policy.ts'
import { familyFits } from './dns-resolver.ts'

/** Bounds and identity of the connections of one agent. */
export interface GuardedAgentOptions {
  /** The only class of addresses this agent connects to. */
  readonly connectsTo: Exclude<AddressClass, 'refused'>
  readonly localIp: string | null
  readonly connectTimeoutMs: number
  /** Connections to one origin. */
  readonly connections: number
  readonly keepAliveMs: number
}

/** What judges and finds addresses. */
export interface GuardedAgentDeps {
  readonly policy: AddressPolicy
  readonly resolver: NameResolver
}

type LookupDone = Parameters<LookupFunction>[2]

async function addressesFor(host: string, options: GuardedAgentOptions, deps: GuardedAgentDeps) {
  const found = await deps.resolver.resolve(host)
  const usable = found.filter(entry => entry.class === options.connectsTo && familyFits(options.localIp, entry.family))
  if (usable.length === 0) throw new AppError('AddressRefused')
  return usable.map(entry => ({ address: entry.ip, family: entry.family }))
}

function guardedLookup(options: GuardedAgentOptions, deps: GuardedAgentDeps): LookupFunction {
  return (host, how, done: LookupDone) => {
    addressesFor(host, options, deps).then(
      list => {
        const first = list[0]
        if (how.all) done(null, list)
        else done(null, first?.address ?? '', first?.family)
      },
      (error: Error) => done(error, ''),
    )
  }
}

/** Answers an error when the connected socket's other end is not of the agent's class. */
function judgeSocket(socket: Socket, options: GuardedAgentOptions, deps: GuardedAgentDeps): AppError | null {
  const ip = socket.remoteAddress
  if (ip !== undefined && deps.policy.classify(ip) === options.connectsTo) return null
  return new AppError('AddressRefused')
}

/** An Agent that reaches addresses of one class only; others fail with AppError AddressRefused. Loads undici. */
export async function createGuardedAgent(options: GuardedAgentOptions, deps: GuardedAgentDeps): Promise<Agent> {
  // Half of a start's work is loading packages; this one can wait for the first request (decision 0207).
  const { Agent, buildConnector } = await import('undici')
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: guardedLookup(options, deps),
    autoSelectFamily: true,
    allowH2: false,
  })
  const guarded: Connectors.connector = (target, done) => {
    const localAddress = options.localIp
    connect({ ...target, localAddress }, (...result) => {
      const [error, socket] = result
      if (error !== null || socket === null) return done(error ?? new AppError('SourceFailed'), null)
      const refused = judgeSocket(socket, options, deps)
      if (refused === null) return done(null, socket)
      socket.destroy()
      done(refused, null)
    })
  }
  return new Agent({
    connect: guarded,
    connections: options.connections,
    pipelining: 1,
    keepAliveTimeout: options.keepAliveMs,
    keepAliveMaxTimeout: options.keepAliveMs,
  })
}
