// Ports and addresses of the node: can they be had, and does a node that runs answer.

import { createSocket } from 'node:dgram'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { errorText } from '../../base/errors.ts'
import { errnoOf } from '../../io/files/disk-errors.ts'
import type { Finding } from './finding.ts'
import { coreFinding } from './finding-table.ts'
import { portHolder } from './lock-holder.ts'

/** A port and who is to have it. */
export interface NamedPort {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  /** The setting that names it. */
  readonly named: string
}

const ANSWER_LIMIT_MS = 5_000

/** What is so of a port: a code of the table, and all that its texts may name. */
export interface PortState {
  readonly code: 'port_free' | 'port_taken' | 'port_taken_by' | 'port_forbidden' | 'port_no_address' | 'port_failed'
  readonly parameters: Readonly<Record<'protocol' | 'port' | 'host' | 'setting' | 'holder' | 'error', string | number>>
}

/** Whether the port can be had now. */
export async function checkPort(wanted: NamedPort): Promise<Finding> {
  const { code, parameters } = await portState(wanted)
  return coreFinding(code, parameters)
}

/** The same, for findings with other words. */
export async function portState({ host, port, protocol, named }: NamedPort): Promise<PortState> {
  const parameters = { protocol: protocol.toUpperCase(), port, host, setting: named, holder: '', error: '' }
  try {
    await (protocol === 'tcp' ? tryTcp(host, port) : tryUdp(host, port))
    return { code: 'port_free', parameters }
  } catch (error) {
    switch (errnoOf(error)) {
      case 'EADDRINUSE': {
        const holder = protocol === 'tcp' ? await portHolder(port) : ''
        return { code: holder === '' ? 'port_taken' : 'port_taken_by', parameters: { ...parameters, holder } }
      }
      case 'EACCES':
        return { code: 'port_forbidden', parameters }
      case 'EADDRNOTAVAIL':
        return { code: 'port_no_address', parameters }
      default:
        return { code: 'port_failed', parameters: { ...parameters, error: errorText(error) } }
    }
  }
}

function tryTcp(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()))
  })
}

function tryUdp(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4' })
    socket.once('error', error => {
      socket.close()
      reject(error)
    })
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve()))
  })
}

/** Whether the node that holds the state directory answers at `url`, which it noted (node-address.ts). */
export async function checkAnswer(url: string, pid: number): Promise<Finding> {
  const where = `${url}/healthz`
  const status = await statusOf(where).catch((error: unknown) => errorText(error))
  if (status === 200) return coreFinding('node_answers', { process: pid, url: where })
  return coreFinding('node_silent', { process: pid, url: where, error: status })
}

function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: ANSWER_LIMIT_MS, agent: false }, answer => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_LIMIT_MS / 1000} s`)))
    request.on('error', reject)
  })
}

/** Whether the addresses and devices the engine is bound to are there; `bound` as libtorrent.interface has it. */
export function checkBinding(bound: string): Finding[] {
  const interfaces = networkInterfaces()
  const present = new Set([
    ...Object.keys(interfaces),
    ...Object.values(interfaces).flatMap(list => list?.map(({ address }) => address) ?? []),
  ])
  const wanted = bound
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  const missing = wanted.filter(
    name => !present.has(name.replace(/^\[|\](:\d+)?$/g, '').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')),
  )
  return missing.map(name => coreFinding('interface_missing', { name }))
}
