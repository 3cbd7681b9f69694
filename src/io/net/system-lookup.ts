// Host names as the system knows them, without a thread that waits: getaddrinfo() cannot be interrupted, and a name
// server that is silent holds the threads that files are read with, and the end of the process (decision 0476). Hosts
// files are read here, name servers are asked by c-ares, and what other services of nsswitch.conf may know is asked of
// getent, a program.

import { execFile } from 'node:child_process'
import { lookup, Resolver } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { parseIp } from '../../wire/net/compact-address.ts'
import { findInHosts, readNameServices, readSearchList, searchedNames } from './system-names.ts'

/** Asks for all addresses of a name; empty where there is none. */
export type LookupAll = (host: string, done: (error: Error | null, ips: readonly string[]) => void) => void

/** Time for a program that asks other services, ms, and most of them at a time. */
const PROGRAM_MS = 10_000
const MAX_PROGRAMS = 4
/** Files larger than this are not read. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** A text file that is read again when it was changed; empty where there is none. */
class WatchedText {
  readonly #path: string
  #stamp = ''
  #text = ''

  constructor(path: string) {
    this.#path = path
  }

  /** The text, and whether it is another one than last time. Not awaited: libuv's threads may all wait for a disk. */
  read(): { readonly text: string; readonly isNew: boolean } {
    const facts = statSync(this.#path, { throwIfNoEntry: false })
    const stamp = facts === undefined ? 'none' : `${facts.ino} ${facts.size} ${facts.mtimeMs}`
    const isNew = stamp !== this.#stamp
    if (isNew) this.#text = facts !== undefined && facts.size <= MAX_FILE_BYTES ? readText(this.#path) : ''
    this.#stamp = stamp
    return { text: this.#text, isNew }
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1').toLowerCase()
  } catch {
    return ''
  }
}

/** Where the system's files lie; tests have others. */
export interface SystemFiles {
  readonly hosts: string
  readonly nsswitch: string
  readonly resolvConf: string
}

const SYSTEM_FILES = { hosts: '/etc/hosts', nsswitch: '/etc/nsswitch.conf', resolvConf: '/etc/resolv.conf' }

/** What look-ups are made with; tests replace parts. */
export interface SystemLookupOptions {
  readonly files?: SystemFiles
  /** Makes the resolver that asks name servers; called again when resolv.conf has changed. */
  readonly makeResolver?: () => Pick<Resolver, 'resolve4' | 'resolve6'>
  readonly askProgram?: (host: string) => Promise<readonly string[]>
}

/** The system's look-up for DnsResolver. */
export function systemLookup(options: SystemLookupOptions = {}): LookupAll {
  // Elsewhere the system's ways are other ones.
  if (process.platform !== 'linux') return libuvLookup
  const names = new SystemNames(options)
  return (host, done) => {
    names.find(host).then(
      ips => done(null, ips),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), []),
    )
  }
}

const libuvLookup: LookupAll = (host, done) => {
  lookup(host, { all: true, order: 'verbatim' }, (error, found) => {
    done(error, error === null ? found.map(entry => entry.address) : [])
  })
}

class SystemNames {
  readonly #hosts: WatchedText
  readonly #nsswitch: WatchedText
  readonly #resolvConf: WatchedText
  readonly #makeResolver: () => Pick<Resolver, 'resolve4' | 'resolve6'>
  readonly #askProgram: (host: string) => Promise<readonly string[]>
  #resolver: Pick<Resolver, 'resolve4' | 'resolve6'> | null = null

  constructor({ files = SYSTEM_FILES, makeResolver, askProgram }: SystemLookupOptions) {
    this.#hosts = new WatchedText(files.hosts)
    this.#nsswitch = new WatchedText(files.nsswitch)
    this.#resolvConf = new WatchedText(files.resolvConf)
    this.#makeResolver = makeResolver ?? (() => new Resolver())
    this.#askProgram = askProgram ?? boundedPrograms()
  }

  /** All addresses; empty where the name does not exist. Rejects when no name server answers. */
  async find(host: string): Promise<readonly string[]> {
    const services = readNameServices(this.#nsswitch.read().text)
    const inHosts = services.files ? findInHosts(this.#hosts.read().text, host).filter(ip => parseIp(ip) !== null) : []
    if (inHosts.length > 0) return inHosts
    // Never a question for a name server (RFC 6761).
    if (/(^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1']
    const isLocal = /\.local\.?$/i.test(host) || !host.includes('.')
    if (services.othersBefore && (isLocal || !services.dns)) return this.#askProgram(host)
    const found = services.dns ? await this.#askServers(host) : []
    if (found.length > 0 || !(services.othersBefore || services.othersAfter)) return found
    return this.#askProgram(host)
  }

  async #askServers(host: string): Promise<readonly string[]> {
    const { text, isNew } = this.#resolvConf.read()
    if (isNew || this.#resolver === null) this.#resolver = this.#makeResolver()
    const resolver = this.#resolver
    for (const name of searchedNames(host, readSearchList(text, process.env))) {
      const found = await askBoth(resolver, name)
      if (found.length > 0) return found
    }
    return []
  }
}

/** Both families. What the machine can reach goes first: IPv6 only where it has such an address itself. */
async function askBoth(resolver: Pick<Resolver, 'resolve4' | 'resolve6'>, name: string): Promise<readonly string[]> {
  const outcomes = await Promise.allSettled([askOne(resolver, 6, name), askOne(resolver, 4, name)])
  const [six = [], four = []] = outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : []))
  if (six.length + four.length > 0) return hasGlobalIpv6() ? [...six, ...four] : [...four, ...six]
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return []
}

/** Empty: there is no such name, or no address of this family. */
function askOne(resolver: Pick<Resolver, 'resolve4' | 'resolve6'>, family: 4 | 6, name: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const done = (error: NodeJS.ErrnoException | null, ips: string[]): void => {
      if (error === null) resolve(ips)
      else if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') resolve([])
      else reject(error)
    }
    if (family === 4) resolver.resolve4(name, done)
    else resolver.resolve6(name, done)
  })
}

function hasGlobalIpv6(): boolean {
  const all = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  return all.some(one => one.family === 'IPv6' && !one.internal && one.scopeid === 0)
}

/** getent asks all services in the system's order. It is a process: it can be ended. */
function boundedPrograms(): (host: string) => Promise<readonly string[]> {
  let running = 0
  return async host => {
    // A name that only they might know is not worth a queue.
    if (running >= MAX_PROGRAMS || host.startsWith('-')) return []
    running += 1
    return runGetent(host).finally(() => (running -= 1))
  }
}

function runGetent(host: string): Promise<readonly string[]> {
  return new Promise(resolve => {
    const limits = { timeout: PROGRAM_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 } as const
    const child = execFile('getent', ['ahosts', host], limits, (error, text) => {
      const ips = error === null ? text.split('\n').map(line => line.split(/\s/)[0] ?? '') : []
      resolve([...new Set(ips.filter(ip => parseIp(ip) !== null))])
    })
    // It holds up no end of this process.
    child.unref()
  })
}
