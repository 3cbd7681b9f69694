// Ports and addresses of the node: can they be had, and does a node that runs answer.

import { createSocket } from 'node:dgram'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { errorText } from '../../base/errors.ts'
import { errnoOf } from '../../io/files/disk-errors.ts'
import { fine, type Finding, problem, warning } from './finding.ts'
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

/** Whether the port can be had now. */
export async function checkPort(wanted: NamedPort): Promise<Finding> {
  const { host, port, protocol, named } = wanted
  const where = `${protocol.toUpperCase()} port ${port} on ${host} (${named})`
  try {
    await (protocol === 'tcp' ? tryTcp(host, port) : tryUdp(host, port))
    return fine('ports', `${where} is free.`)
  } catch (error) {
    switch (errnoOf(error)) {
      case 'EADDRINUSE': {
        const holder = protocol === 'tcp' ? await portHolder(port) : ''
        return problem(
          'ports',
          `${where} is taken${holder === '' ? '' : ` by ${holder}`}.`,
          `End that program, or set ${named} to another port.`,
        )
      }
      case 'EACCES':
        return problem('ports', `${where}: this user may not listen there.`, `Set ${named} to a port from 1024 on.`)
      case 'EADDRNOTAVAIL':
        return problem(
          'ports',
          `${where}: this machine has no such address.`,
          'Use an address that `ip address` lists, or 127.0.0.1.',
        )
      default:
        return problem('ports', `${where} cannot be had: ${errorText(error)}.`, `Set ${named} to another port.`)
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
  if (status === 200) return fine('ports', `The node that runs (process ${pid}) answers at ${where}.`)
  return problem(
    'ports',
    `The node that runs (process ${pid}) does not answer at ${where}: ${status}.`,
    'It may be stuck: look into its log, then restart it.',
  )
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
  return missing.map(name =>
    warning(
      'ports',
      `This machine has no address or device ${name} (libtorrent.interface) now; nothing leaves by it.`,
      'Start the tunnel or network it belongs to, or change the setting.',
    ),
  )
}
