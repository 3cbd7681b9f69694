// Load by wrk, the HTTP benchmarking tool, with a script of ours.

import { writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '../../test/kit/project-root.ts'
import { needs } from '../../test/kit/requirements.ts'
import type { HttpRequest } from './local-http.ts'
import { startOwned } from './owned-processes.ts'

const script = join(projectRoot, 'bench/lib/wrk-requests.lua')

/** What wrk counted. Latencies in ms. */
export interface WrkResult {
  readonly requests: number
  readonly bytes: number
  readonly seconds: number
  readonly errors: number
  readonly p50: number
  readonly p99: number
}

export interface WrkLoad {
  readonly what: HttpRequest
  readonly connections: number
  readonly seconds: number
  /** Random ranges of `range` bytes in a file of `size`. */
  readonly ranges?: { readonly range: number; readonly size: number }
  /** Folder for the body of the request. */
  readonly home: string
}

/** Why it cannot run here; null when it can. */
export function wrkMissing(): string | null {
  return needs('wrk') || null
}

async function environment(load: WrkLoad): Promise<Record<string, string>> {
  const { what, ranges } = load
  const headers = Object.entries(what.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  const env: Record<string, string> = { METHOD: what.method ?? 'GET', HEADERS: headers.join('\n') }
  if (ranges) Object.assign(env, { RANGE: String(ranges.range), SIZE: String(ranges.size) })
  if (what.body !== undefined) {
    env['BODY_FILE'] = join(load.home, 'wrk-body')
    await writeFile(env['BODY_FILE'], what.body)
  }
  return env
}

/** Runs the load to its end. Throws when a request failed, or none was answered. */
export async function runWrk(load: WrkLoad): Promise<WrkResult> {
  const times = [`-d${load.seconds}s`, '--timeout', '60s', '--latency']
  const args = ['-t1', `-c${load.connections}`, ...times, '-s', script, load.what.url]
  const running = startOwned('wrk', args, { env: await environment(load) })
  await once(running.child, 'close')
  const line = /^RESULT (.*)$/m.exec(running.output())?.[1]
  if (line === undefined) throw new Error(`wrk: ${running.output()}`)
  const result = JSON.parse(line) as WrkResult
  if (result.errors > 0 || result.requests === 0)
    throw new Error(`wrk: ${result.errors} errors, ${result.requests} answers at ${load.what.url}`)
  return result
}
