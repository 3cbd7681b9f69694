// py-ipv8 on the same loopback, when a checkout of it is named by the environment variable IPV8_CHECKOUT (tag 3.2;
// Debian's python3-libnacl, python3-cryptography, python3-aiohttp, python3-typing-extensions): its nodes and its
// client, one process each.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../../test/kit/project-root.ts'
import { LineProcess } from '../line-process.ts'
import { type OwnedProcess, removeAtExit, startOwned } from '../owned-processes.ts'

const PYTHON = '/usr/bin/python3'
const READY_MS = 20_000
const STOP_MS = 2_000
/** Circuits that are built for the time that takes. */
const BUILDS = 20
/** Port of its first node. */
export const PY_IPV8_PORT = 18_000

/** What its client measured in one run over one number of hops. */
export interface PyIpv8Figures {
  readonly mbPerSec: number
  /** Median of its circuits, the one that carried this included. */
  readonly buildMs: number
  /** Milliseconds of CPU for each MB (1,000 datagrams of 1,000 bytes): all nodes, and the client. */
  readonly nodesMsPerMb: number
  readonly clientMsPerMb: number
}

/** Where the checkout is; null: none is given. */
export function pyIpv8Checkout(): string | null {
  return process.env['IPV8_CHECKOUT'] ?? null
}

/** What py-ipv8 runs in: its own folder of programs, one process a node. */
export class PyIpv8Net {
  /** Process of each node; the last is the exit, where there is one. */
  readonly pids: readonly number[]
  readonly #checkout: string
  readonly #started: readonly OwnedProcess[]
  readonly #log: string
  #client: LineProcess | null = null

  private constructor(checkout: string, pids: readonly number[], started: readonly OwnedProcess[], log: string) {
    this.#checkout = checkout
    this.pids = pids
    this.#started = started
    this.#log = log
  }

  /** Relays, and an exit with a host behind it or none, on ports from PY_IPV8_PORT on. */
  static async start(checkout: string, relays: number, withExit: boolean): Promise<PyIpv8Net> {
    const folder = mkdtempSync(join(tmpdir(), 'py-ipv8-'))
    removeAtExit(folder)
    const log = join(folder, 'peers.log')
    const exits = withExit ? 1 : 0
    const counts = ['--count', String(relays), '--exit', String(exits), '--base-port', String(PY_IPV8_PORT)]
    const peers = run('run_peers.py', '--ipv8', checkout, '--duration', '300', ...counts)
    const started = [peers]
    try {
      const pids = await meshed(peers, relays + exits, log)
      if (withExit) started.push(run('udp_target.py', '--duration', '300'))
      return new PyIpv8Net(checkout, pids, started, log)
    } catch (error) {
      await peers.stop()
      throw error
    }
  }

  /** One run of its own client in one direction over one number of hops. Client and circuit stay for the next one. */
  async measure(hops: number, kind: 'up' | 'down', seconds: number): Promise<PyIpv8Figures> {
    this.#client ??= await this.#startClient()
    const row = await this.#client.ask('run', { hops, kind, seconds, builds: BUILDS })
    const number = (key: string): number => Number(row[key] ?? Number.NaN)
    return {
      mbPerSec: number('MBps'),
      buildMs: number('build_ms'),
      nodesMsPerMb: number('cpu_ms_per_MB_nodes'),
      clientMsPerMb: number('cpu_ms_per_MB_client'),
    }
  }

  /** It prints its peers before it takes commands. */
  async #startClient(): Promise<LineProcess> {
    const where = ['--base-port', String(PY_IPV8_PORT), '--nodes', String(this.pids.length), '--rp-log', this.#log]
    const started = run('bench_circuits.py', '--serve', '--ipv8', this.#checkout, ...where)
    const client = new LineProcess('bench_circuits.py', {}, started)
    await client.next()
    return client
  }

  async stop(): Promise<void> {
    await this.#client?.stop()
    await Promise.all(this.#started.map(one => one.stop(STOP_MS)))
  }
}

function run(script: string, ...args: string[]): OwnedProcess {
  const path = join(projectRoot, 'bench/rivals/py-ipv8', script)
  return startOwned(PYTHON, [path, ...args], { talk: true, env: { PYTHONDONTWRITEBYTECODE: '1' } })
}

/** Waits until all nodes know each other; their processes. The first line is what the client reads. */
function meshed(peers: OwnedProcess, nodes: number, log: string): Promise<number[]> {
  const lines = createInterface({ input: peers.child.stdout as NodeJS.ReadableStream })
  let pids: number[] = []
  let left = nodes
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`py-ipv8's nodes do not meet: ${peers.output()}`)), READY_MS)
    lines.on('line', line => {
      const told = JSON.parse(line) as { readonly ev: string; readonly pids?: number[] }
      if (told.ev === 'started') {
        pids = told.pids ?? []
        writeFileSync(log, `${line}\n`)
      }
      if (told.ev !== 'meshed' || --left > 0) return
      clearTimeout(late)
      resolve(pids)
    })
    lines.once('close', () => reject(new Error(`py-ipv8 did not start: ${peers.output()}`)))
  })
}
