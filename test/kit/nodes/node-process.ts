// The built node in a process of its own, driven only from outside: command line, signals, HTTP. Readiness is read from
// its standard output, so nothing here sleeps. Every node started here is killed at the latest when the file that
// started it ends, and does not keep that file alive: a test that failed before its stop() must not hang the whole run.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chapterKits } from '../chapter-kits.ts'
import { testedHash } from '../hash-path.ts'

/** The built command line, beside the built tests. */
export const cliPath = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url))

/** What users run: the same program from a script (package.json); `make build` makes it, tsc alone does not. */
export const commandPath = fileURLToPath(new URL('../../../src/bundle/tributary.cjs', import.meta.url))

/** A node that says nothing for this long is taken as hung. */
/** By how much all limits are longer: for nodes that an emulator runs. */
const PATIENCE = Number(process.env['TEST_PATIENCE'] ?? 1)
const START_LIMIT_MS = 30_000 * PATIENCE

/** Longer than the five seconds the node promises: what is late fails the test, not the kit. */
const STOP_LIMIT_MS = 15_000 * PATIENCE

export interface StartNodeOptions {
  /** Further arguments after `start`. */
  readonly args?: readonly string[]
  /** Settings by path, `{'libtorrent.port': 0}`; each becomes a --set. The kit's own defaults come first. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>
  /** True: the product's own defaults below `settings`, with all that looks for peers, but for the port. */
  readonly asUsers?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Default: a new temporary folder, removed by stop(). A folder given here stays. */
  readonly stateDir?: string
  /** What runs before `node`, for example ['ip', 'netns', 'exec', 'a']. */
  readonly prefix?: readonly string[]
  /** Another command line than the built one. */
  readonly cli?: string
  /** Resolve at `listening` (STARTING) or at `ready` (STARTED, the default). */
  readonly until?: 'listening' | 'ready'
}

/** An answer of the node; `body` is the raw bytes. */
export interface NodeReply {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** The body as JSON; the caller says what it expects. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test says what it expects
  json<T = unknown>(): T
}

export interface NodeProcess {
  readonly baseUrl: string
  readonly port: number
  readonly key: string
  readonly stateDir: string
  readonly pid: number
  readonly process: ChildProcess
  /** A request with the key. An object as body goes as JSON; a string and bytes as they are. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<NodeReply>
  /** GET, status 200 expected, as JSON. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test says what it expects
  get<T = unknown>(path: string): Promise<T>
  /** Repeats GET until `done` accepts the answer; fails with the last answer after `limitMs`. */
  until<T>(path: string, done: (value: T) => boolean, limitMs?: number): Promise<T>
  /** Everything written so far on standard output and standard error. */
  logs(): { stdout: string; stderr: string }
  /** Waits for an end that something else causes; kills what is late. */
  ended(): Promise<ExitedNode>
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<ExitedNode>
  /** SIGTERM, waits, SIGKILL when late; then removes the state folder when the kit made it. */
  stop(): Promise<ExitedNode>
}

export interface ExitedNode {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

type Values = Readonly<Record<string, string | number>>
const kits = (await chapterKits('node-settings')) as readonly { readonly settings: Values }[]
const ofChapters: Values = kits.reduce((all, { settings }) => ({ ...all, ...settings }), {})

/**
 * Settings every node of a test or benchmark has unless it says otherwise: free ports, loopback, TCP alone, and no
 * other source of peers than the one that is looked at.
 */
const TEST_SETTINGS = {
  'libtorrent.port': 0,
  'libtorrent.interface': '127.0.0.1',
  'libtorrent.utp': false,
  'libtorrent.dht': false,
  'libtorrent.pex': false,
  'libtorrent.lsd': false,
  'libtorrent.upnp': false,
  'libtorrent.natpmp': false,
  ...ofChapters,
} as const

/** Starts the node and resolves when it is ready. Rejects with its output when it ends before that. */
export async function startNode(options: StartNodeOptions = {}): Promise<NodeProcess> {
  const stateDir = options.stateDir ?? (await mkdtemp(path.join(os.tmpdir(), 'tributary-node-')))
  const ownsStateDir = options.stateDir === undefined
  const base = options.asUsers === true ? { 'libtorrent.port': 0 } : TEST_SETTINGS
  const hash = testedHash === 'auto' ? {} : { 'disk.hash': testedHash }
  const settings = Object.entries({ ...base, ...hash, ...options.settings }).flatMap(([k, v]) => ['--set', `${k}=${v}`])
  const running = spawnCli(
    ['start', '--state-dir', stateDir, '--port', '0', ...settings, ...(options.args ?? [])],
    options.env,
    options.prefix,
    options.cli,
  )
  try {
    const line = await running.line(/^.* listens at (http:\/\/\S+)$/m)
    if (options.until !== 'listening') await running.line(/^Ready\.$/m)
    const key = await readKey(stateDir, options)
    return nodeAt(line, key, stateDir, ownsStateDir, running)
  } catch (error) {
    running.child.kill('SIGKILL')
    await running.end()
    if (ownsStateDir) await rm(stateDir, { recursive: true, force: true })
    throw error
  }
}

/** Runs the command line to its end, whatever that is. */
export async function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ExitedNode> {
  const running = spawnCli(args, env)
  const late = setTimeout(() => running.child.kill('SIGKILL'), START_LIMIT_MS)
  try {
    return await running.end()
  } finally {
    clearTimeout(late)
  }
}

interface Running {
  readonly child: ChildProcess
  /** Waits for its end. */
  end(): Promise<ExitedNode>
  output(): { stdout: string; stderr: string }
  /** The first group of a pattern as soon as standard output has it. */
  line(pattern: RegExp): Promise<string>
}

function spawnCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  prefix: readonly string[] = [],
  cli = cliPath,
): Running {
  const [command = process.execPath, ...rest] = [...prefix, process.execPath, cli, ...args]
  const clean = Object.fromEntries(Object.entries(process.env).filter(([k]) => !/^(CORE_API_|TRIBUTARY_)/.test(k)))
  const child = spawn(command, rest, { env: { ...clean, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  endWithThisProcess(child)
  const out = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text
  })
  const exited = once(child, 'close').then(
    ([code, signal]: unknown[]): ExitedNode => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      ...out,
    }),
  )
  const end = (): Promise<ExitedNode> => {
    for (const handle of handlesOf(child)) handle.ref()
    return exited
  }
  return { child, end, output: () => ({ ...out }), line: pattern => waitForOutput(child, out, pattern) }
}

/** What keeps this process alive while the child lives: its own handle and those of its output. */
function handlesOf(child: ChildProcess): { ref(): unknown; unref(): unknown }[] {
  return [child, child.stdout as Socket, child.stderr as Socket]
}

/**
 * The built node in a process of its own, driven only from outside: command line, signals, HTTP. Whoever waits for the
 * child holds a timer, or asks for its end.
 */
function endWithThisProcess(child: ChildProcess): void {
  for (const handle of handlesOf(child)) handle.unref()
  const kill = (): boolean => child.kill('SIGKILL')
  process.on('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

function waitForOutput(child: ChildProcess, out: { stdout: string; stderr: string }, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const finish = (error: Error | null, value = '') => {
      clearTimeout(late)
      child.stdout?.off('data', look)
      child.off('close', ended)
      if (error === null) resolve(value)
      else reject(error)
    }
    const look = () => {
      const found = pattern.exec(out.stdout)
      if (found !== null) finish(null, found[1] ?? found[0])
    }
    const describe = () => `standard output:\n${out.stdout}\nstandard error:\n${out.stderr}`
    const ended = () => finish(new Error(`the node ended before ${pattern}\n${describe()}`))
    const late = setTimeout(() => finish(new Error(`the node never said ${pattern}\n${describe()}`)), START_LIMIT_MS)
    child.stdout?.on('data', look)
    child.once('close', ended)
    look()
  })
}

/** The key in force: argument, key file, environment, configuration file; in the order the node itself uses. */
async function readKey(stateDir: string, options: StartNodeOptions): Promise<string> {
  const given = argument(options, '--api-key')
  if (given !== undefined) return given
  const file = argument(options, '--api-key-file')
  if (file !== undefined) return (await readFile(file, 'utf8')).split('\n')[0] ?? ''
  const fromEnvironment = options.env?.['CORE_API_KEY']
  if (fromEnvironment !== undefined) return fromEnvironment
  const yaml = await readFile(path.join(stateDir, 'tributary.yaml'), 'utf8')
  return /^\s+key:\s*"?([^"\s]*)"?\s*$/m.exec(yaml)?.[1] ?? ''
}

function argument(options: StartNodeOptions, name: string): string | undefined {
  const at = options.args?.indexOf(name) ?? -1
  return at < 0 ? undefined : options.args?.[at + 1]
}

function nodeAt(baseUrl: string, key: string, stateDir: string, ownsStateDir: boolean, running: Running): NodeProcess {
  const { child } = running
  const request: NodeProcess['request'] = (method, target, body, headers) =>
    send(`${baseUrl}${target}`, method, body, { 'x-api-key': key, ...headers })
  const get = async <T>(target: string): Promise<T> => {
    const reply = await request('GET', target)
    if (reply.status !== 200) throw new Error(`GET ${target}: ${reply.status} ${reply.body.toString()}`)
    return reply.json<T>()
  }
  const ended = (): Promise<ExitedNode> => {
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
    return running.end().finally(() => clearTimeout(late))
  }
  const kill = (signal: NodeJS.Signals): Promise<ExitedNode> => {
    child.kill(signal)
    return ended()
  }
  return {
    baseUrl,
    port: Number(new URL(baseUrl).port),
    key,
    stateDir,
    pid: child.pid ?? 0,
    process: child,
    request,
    get,
    until: (target, done, limitMs = 30_000) => poll(target, () => get(target), done, limitMs),
    logs: () => running.output(),
    ended,
    kill,
    async stop() {
      const end = await kill('SIGTERM')
      if (ownsStateDir) await rm(stateDir, { recursive: true, force: true })
      return end
    },
  }
}

async function send(url: string, method: string, body: unknown, headers: Record<string, string>): Promise<NodeReply> {
  const asIs = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const text = asIs ? body : JSON.stringify(body)
  const reply = await fetch(url, { method, headers, ...(text === undefined ? {} : { body: text }) })
  const bytes = Buffer.from(await reply.arrayBuffer())
  return {
    status: reply.status,
    headers: reply.headers,
    body: bytes,
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test says what it expects
    json<T>() {
      return JSON.parse(bytes.toString()) as T
    },
  }
}

async function poll<T>(what: string, read: () => Promise<T>, done: (value: T) => boolean, limitMs: number): Promise<T> {
  const end = performance.now() + limitMs
  for (;;) {
    const value = await read()
    if (done(value)) return value
    if (performance.now() > end) throw new Error(`${what} never became so: ${JSON.stringify(value)}`)
    // Between two looks the machine belongs to the node: this is pacing, not waiting for a time.
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}
