// Connections whose address was judged: a pair of node:http agents for one class of addresses. Names are resolved and
// filtered inside the connect itself, and the connected socket is judged once more before a byte is sent, so the
// address that was checked is the address that is used, whatever a name server says a moment later.

import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { AppError } from '../../base/errors.ts'
import type { AddressClass, NameResolver } from '../../ports/name-resolver.ts'
import type { AddressPolicy } from './address-policy.ts'
import { familyFits } from './dns-resolver.ts'
import { type OutgoingRoute, RoutedConnector } from './routed-connector.ts'

/** Bounds and identity of the connections of one agent. */
export interface GuardedAgentOptions {
  /** The only class of addresses this agent connects to. */
  readonly connectsTo: Exclude<AddressClass, 'refused'>
  /** Address to connect from without a route; null = any. */
  readonly localIp: string | null
  readonly connectTimeoutMs: number
  /** Connections to one origin. */
  readonly connections: number
  readonly keepAliveMs: number
}

/** What judges and finds addresses, and the route all connections take (null or absent: none, they are direct). */
export interface GuardedAgentDeps {
  readonly policy: AddressPolicy
  readonly resolver: NameResolver
  readonly route?: OutgoingRoute | null
}

/** Makes judged connections. */
interface ConnectionMaker {
  open(host: string, port: number, done: (error: Error | null, socket: Socket | null) => void): void
  close(): void
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

/** Makes the direct connections of one pair of agents. */
class DirectConnector implements ConnectionMaker {
  readonly #options: GuardedAgentOptions
  readonly #deps: GuardedAgentDeps
  readonly #lookup: LookupFunction
  /** Connecting: no agent knows them yet. */
  readonly #pending = new Set<Socket>()

  constructor(options: GuardedAgentOptions, deps: GuardedAgentDeps) {
    this.#options = options
    this.#deps = deps
    this.#lookup = guardedLookup(options, deps)
  }

  /** Connects; `done` gets a socket whose other end is of the agent's class, or the error. */
  open(host: string, port: number, done: (error: Error | null, socket: Socket | null) => void): void {
    const { localIp, connectTimeoutMs } = this.#options
    const place = { host, port, lookup: this.#lookup, autoSelectFamily: true }
    const socket = connect(localIp === null ? place : { ...place, localAddress: localIp })
    this.#pending.add(socket)
    const late = setTimeout(
      () => socket.destroy(new AppError('SourceFailed', 'the connection took too long')),
      connectTimeoutMs,
    )
    const settle = (error: Error | null): void => {
      if (!this.#pending.delete(socket)) return
      clearTimeout(late)
      socket.off('error', settle)
      if (error === null) return done(null, socket)
      socket.on('error', () => undefined)
      socket.destroy()
      done(error, null)
    }
    socket.once('connect', () => settle(this.#judge(socket)))
    socket.on('error', settle)
    socket.once('close', () => settle(new AppError('Aborted')))
  }

  close(): void {
    for (const socket of this.#pending) socket.destroy()
  }

  /** An error when the connected socket's other end is not of the agent's class. */
  #judge(socket: Socket): AppError | null {
    const ip = socket.remoteAddress
    if (ip !== undefined && this.#deps.policy.classify(ip) === this.#options.connectsTo) return null
    return new AppError('AddressRefused')
  }
}

type ConnectDone = (error: Error | null, stream: Duplex) => void

class PlainAgent extends HttpAgent {
  readonly #connector: ConnectionMaker
  constructor(options: AgentOptions, connector: ConnectionMaker) {
    super(options)
    this.#connector = connector
  }

  override createConnection(to: ClientRequestArgs, done?: ConnectDone): undefined {
    this.#connector.open(to.host ?? '', Number(to.port), done as (error: Error | null, socket: Socket | null) => void)
  }
}

class TlsAgent extends HttpsAgent {
  readonly #connector: ConnectionMaker
  constructor(options: AgentOptions, connector: ConnectionMaker) {
    super(options)
    this.#connector = connector
  }

  override createConnection(to: ClientRequestArgs, done?: ConnectDone): undefined {
    const host = to.host ?? ''
    this.#connector.open(host, Number(to.port), (error, socket) => {
      if (socket === null) return done?.(error, null as unknown as Duplex)
      // The certificate is checked against the host, whose name is sent to the server (SNI) unless it is an address
      // (RFC 6066).
      done?.(null, connectTls({ socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) }))
    })
  }
}

/** Agents that reach addresses of one class only; requests to others fail with AppError AddressRefused. */
export class GuardedAgents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
  readonly #connector: ConnectionMaker

  constructor(options: GuardedAgentOptions, deps: GuardedAgentDeps) {
    const { connections, keepAliveMs } = options
    const { policy, resolver, route = null } = deps
    this.#connector =
      route === null ? new DirectConnector(options, deps) : new RoutedConnector(options, { policy, resolver, route })
    const how = { keepAlive: true, maxSockets: connections, maxFreeSockets: connections, timeout: keepAliveMs }
    this.http = new PlainAgent(how, this.#connector)
    this.https = new TlsAgent(how, this.#connector)
  }

  /** Ends all connections. */
  close(): void {
    this.#connector.close()
    this.http.destroy()
    this.https.destroy()
  }
}
