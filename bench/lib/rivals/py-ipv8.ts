// py-ipv8 on the same loopback, when a checkout of it is named by the environment variable IPV8_CHECKOUT (tag 3.2; Debian's
// python3-libnacl, python3-cryptography, python3-aiohttp, python3-typing-extensions): its nodes and its client, one process each.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../../test/kit/project-root.ts'
import { type OwnedProcess, removeAtExit, startOwned } from '../owned-processes.ts'

const PYTHON = '/usr/bin/python3'
const READY_MS = 4_000

/** What its client measured over one number of hops. */
export interface PyIpv8Figures {
  readonly hops: number
  readonly upMbPerSec: number
  readonly downMbPerSec: number
  readonly buildMs: number
  /** Milliseconds of CPU for each MB (1,000 datagrams of 1,000 bytes): all nodes, and the client. */
  readonly upNodesMsPerMb: number
  readonly upClientMsPerMb: number
  readonly downNodesMsPerMb: number
  readonly downClientMsPerMb: number
}

/** Where the checkout is; null: none is given. */
export function pyIpv8Checkout(): string | null {
  return process.env['IPV8_CHECKOUT'] ?? null
}

/** Runs network, host and client; one row a number of hops. */
export async function measurePyIpv8(checkout: string, seconds: number, runs: number): Promise<PyIpv8Figures[]> {
  const scripts = join(projectRoot, 'bench/rivals/py-ipv8')
  const folder = mkdtempSync(join(tmpdir(), 'py-ipv8-'))
  removeAtExit(folder)
  const log = join(folder, 'peers.log')
  const started: OwnedProcess[] = []
  const run = (script: string, ...args: string[]): OwnedProcess => {
    const one = startOwned(PYTHON, [join(scripts, script), ...args], {
      talk: true,
      env: { PYTHONDONTWRITEBYTECODE: '1' },
    })
    started.push(one)
    return one
  }
  try {
    const peers = run('run_peers.py', '--ipv8', checkout, '--duration', '300')
    const first = await firstLine(peers)
    writeFileSync(log, `${first}\n`)
    run('udp_target.py', '--duration', '300')
    await new Promise(resolve => setTimeout(resolve, READY_MS))
    const client = run(
      'bench_circuits.py',
      ...['--ipv8', checkout, '--rp-log', log, '--builds', '10', '--seconds', String(seconds), '--runs', String(runs)],
    )
    return (await linesOf(client)).flatMap(figuresOf)
  } finally {
    await Promise.all(started.map(one => one.stop()))
  }
}

function firstLine(one: OwnedProcess): Promise<string> {
  const lines = createInterface({ input: one.child.stdout as NodeJS.ReadableStream })
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('close', () => reject(new Error(`py-ipv8 did not start: ${one.output()}`)))
  })
}

async function linesOf(one: OwnedProcess): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = []
  for await (const line of createInterface({ input: one.child.stdout as NodeJS.ReadableStream }))
    found.push(JSON.parse(line) as Record<string, unknown>)
  return found
}

function figuresOf(row: Record<string, unknown>): PyIpv8Figures[] {
  if (row['up_MBps_median'] === undefined) return []
  const number = (key: string): number => Number(row[key] ?? Number.NaN)
  return [
    {
      hops: number('hops'),
      upMbPerSec: number('up_MBps_median'),
      downMbPerSec: number('down_MBps_median'),
      buildMs: number('build_ms_median'),
      upNodesMsPerMb: number('up_cpu_ms_per_MB_nodes'),
      upClientMsPerMb: number('up_cpu_ms_per_MB_client'),
      downNodesMsPerMb: number('down_cpu_ms_per_MB_nodes'),
      downClientMsPerMb: number('down_cpu_ms_per_MB_client'),
    },
  ]
}
