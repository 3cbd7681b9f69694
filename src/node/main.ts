// The life of the process: state directory, settings, log, node, signals, exit code. What the node is made of is in
// compose.ts. The key is never printed.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AppError, errorText } from '../base/errors.ts'
import type { Secret } from '../base/secret.ts'
import { type NodeLog, openLog } from '../io/process/log.ts'
import { DATABASE_FILE_NAME } from '../records/database-file.ts'
import { logLevels } from './settings/log-levels.ts'
import { readApiKeyFile } from './state/api-key.ts'
import type { NodeChapter } from './chapter.ts'
import { TributaryNode } from './compose.ts'
import type { NodeOptions } from './environment.ts'
import {
  atMost,
  EXIT_CANNOT_START,
  EXIT_STOPPED,
  START_WAIT_MS,
  STOP_LIMIT_MS,
  watchStopSignals,
  watchUncaught,
} from './exit.ts'
import { greeting } from './greeting.ts'
import { forgetAddress, localAddress, noteAddress } from './state/node-address.ts'
import type { ServiceState } from './service-notice.ts'
import { SettingsStore } from './settings/settings-store.ts'
import { settingsTable } from './settings/settings-table.ts'
import { defaultStateDirectory, StateDirectory } from './state/state-directory.ts'
import { readVersion } from './version.ts'

/** What the command line gives. */
export interface NodeArguments {
  /** --state-dir, or null. */
  readonly stateDir: string | null
  /** --api-key-file, or null. */
  readonly apiKeyFile: string | null
  /** Options by `section.option`; later ones win. */
  readonly flags: readonly (readonly [path: string, value: string | Secret])[]
  /** What is built upon the core. */
  readonly chapters: readonly NodeChapter[]
}

/** Name of the log file, in general.log_dir. */
const LOG_FILE = 'tributary.log'

/** How a node ended. */
export interface NodeEnd {
  /** Exit code of its process. */
  readonly code: number
  /**
   * False: something was cut off that did not end in time, and may hold the process; nothing that is stored hangs on
   * it.
   */
  readonly inTime: boolean
}

/**
 * Runs a node until a signal stops it. Never rejects. Store, ports and the lock of the state directory are given up
 * when it settles. It ends no process itself, but by `endNow` at a second signal; without that by process.exit().
 */
export async function runNode(args: NodeArguments, endNow?: (code: number) => void): Promise<NodeEnd> {
  const signals = watchStopSignals(endNow)
  let state: StateDirectory | null = null
  let log: NodeLog | null = null
  try {
    const env = process.env
    const chosen = args.stateDir ?? (env['TRIBUTARY_STATE_DIR'] || null)
    state = StateDirectory.open(chosen ?? defaultStateDirectory(env, homedir()))
    const settings = await openSettings(state.path, chosen !== null, args)
    log = openNodeLog(state.path, settings)
    log.hide(settings.values.api.key)
    for (const warning of settings.warnings) log.warn(warning)
    return await runUntilStopped({ stateDir: state.path, settings, log }, args.chapters, signals.first)
  } catch (error) {
    sayProblem(error, log)
    return { code: EXIT_CANNOT_START, inTime: true }
  } finally {
    log?.close()
    state?.release()
    signals.close()
  }
}

function openNodeLog(stateDir: string, settings: SettingsStore): NodeLog {
  const { log_level: level, log_levels: parts, log_dir: folder } = settings.values.general
  const levels = logLevels(parts)
  try {
    return openLog({ level, levels, file: join(folder || join(stateDir, 'log'), LOG_FILE), stderr: true })
  } catch (error) {
    if (folder === '') throw error
    const text = `The setting general.log_dir: ${folder} cannot be used: ${errorText(error)}.`
    throw new AppError('BadConfiguration', text, { cause: error })
  }
}

async function openSettings(stateDir: string, stateDirChosen: boolean, args: NodeArguments): Promise<SettingsStore> {
  const keyFlag: [string, Secret][] =
    args.apiKeyFile === null ? [] : [['api.key', await readApiKeyFile(args.apiKeyFile)]]
  const flags = [...args.flags, ...keyFlag]
  const settings = await SettingsStore.open({
    stateDir,
    stateDirChosen,
    homeDir: homedir(),
    env: process.env,
    flags,
    table: settingsTable(args.chapters),
  })
  // Programs that this one starts have no use for it.
  delete process.env['CORE_API_KEY']
  return settings
}

async function runUntilStopped(
  options: Omit<NodeOptions, 'version'> & { readonly log: NodeLog },
  chapters: readonly NodeChapter[],
  signal: Promise<NodeJS.Signals>,
): Promise<NodeEnd> {
  const { stateDir, settings, log } = options
  const version = readVersion()
  const tell = await serviceNotice(log)
  const node = new TributaryNode({ ...options, version }, chapters)
  const unwatch = watchUncaught(error => node.noteException(error))
  // Standard output may be closed: the node goes on.
  process.stdout.on('error', () => undefined)
  const facts = { version, stateDir, showKey: keyIsNews(stateDir, settings) }
  const started = startNode(node, settings, facts).then(() => void tell('READY=1', `tributary ${version} runs`))
  const asked = node.stopAsked.then((): StopReason => 'PUT /shutdown')
  const end = await endOf(started, Promise.race([signal, asked]), node.failed)
  // A known reason needs no stack: it is said in one sentence at the end.
  if (end instanceof AppError) log.error('the node cannot go on', { reason: end.message })
  else if (end instanceof Error) log.error('the node cannot go on', { error: end })
  else log.info('stopping', { reason: end })
  const told = tell('STOPPING=1', 'stopping')
  node.giveUpUpgrade()
  const inTime = await stopInTime(node, started, log)
  await told
  forgetAddress(stateDir)
  unwatch()
  if (!(end instanceof Error)) return { code: EXIT_STOPPED, inTime }
  sayProblem(end, log)
  return { code: EXIT_CANNOT_START, inTime }
}

/** Tells the service manager, where one asks for that; nothing is loaded where none does. */
async function serviceNotice(log: NodeLog): Promise<(state: ServiceState, status: string) => Promise<void>> {
  const socket = process.env['NOTIFY_SOCKET']
  if (!socket) return () => Promise.resolve()
  // Programs that this one starts are no services.
  delete process.env['NOTIFY_SOCKET']
  const { tellServiceManager } = await import('./service-notice.ts')
  return (state, status) => tellServiceManager(socket, state, status, log)
}

/** Who asked the node to stop. */
type StopReason = NodeJS.Signals | 'PUT /shutdown'

/** What ends the node: a signal or request, a failed start, or a part that died. */
async function endOf(
  started: Promise<void>,
  asked: Promise<StopReason>,
  failed: Promise<Error>,
): Promise<StopReason | Error> {
  try {
    return await Promise.race([asked, failed, started.then(() => Promise.race([asked, failed]))])
  } catch (error) {
    return error instanceof Error ? error : new Error(errorText(error))
  }
}

/** Whether the place of the key was not printed yet: also when the start that made it got no further. */
function keyIsNews(stateDir: string, settings: SettingsStore): boolean {
  if (settings.keyIsNew) return true
  const inFile = settings.source('api.key') === 'file' && !settings.values.api.key.isEmpty
  return inFile && !existsSync(join(stateDir, DATABASE_FILE_NAME))
}

async function startNode(
  node: TributaryNode,
  settings: SettingsStore,
  facts: { readonly version: string; readonly stateDir: string; readonly showKey: boolean },
): Promise<void> {
  await node.start(baseUrls => {
    const [baseUrl = ''] = baseUrls
    noteAddress(facts.stateDir, baseUrl)
    // A terminal is read by who sits there; pipes, journals and files are kept.
    const page = process.stdout.isTTY ? localAddress(baseUrl) + node.loginPath() : null
    say(greeting({ ...facts, baseUrls, loginUrl: page, configPath: settings.path }))
  })
  say('Ready.\n')
}

/** False: something was cut off. */
async function stopInTime(node: TributaryNode, started: Promise<void>, log: NodeLog): Promise<boolean> {
  const endMs = performance.now() + STOP_LIMIT_MS
  const settled = started.then(
    () => true,
    () => true,
  )
  // A start under way ends first: parts that are half made cannot be stopped. One that a disk holds up is left behind.
  const isWhole = await atMost(START_WAIT_MS, settled, false)
  const inTime = (await node.stop(endMs - performance.now())) && isWhole
  if (inTime) log.info('stopped')
  else log.warn('stopped late: some parts were cut off')
  return inTime
}

function say(text: string): void {
  process.stdout.write(text)
}

/** What kept the node from starting, or ended it: one sentence for a person. */
function sayProblem(error: unknown, log: NodeLog | null): void {
  process.stderr.write(`tributary: ${startProblem(error)}\n`)
  if (!(error instanceof AppError)) log?.error('start failed', { error })
}

/** One sentence for a person. A bug shows itself as such. */
function startProblem(error: unknown): string {
  return error instanceof AppError ? error.message : `unexpected error: ${errorText(error)}`
}
