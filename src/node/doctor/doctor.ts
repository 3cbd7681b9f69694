// `tributary doctor`: looks at what a node needs, whether one runs or not, and says what is wrong and what to do. It
// changes nothing: no key is made, no lock taken, nothing brought up to date.

import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorText } from '../../base/errors.ts'
import { DATABASE_FILE_NAME } from '../../records/database-file.ts'
import { listenProblem } from '../state/api-key.ts'
import { configPath } from '../settings/config-file.ts'
import type { Settings } from '../settings/settings-schema.ts'
import type { SettingsOptions } from '../settings/settings-layers.ts'
import { notedAddress } from '../state/node-address.ts'
import { SettingsStore } from '../settings/settings-store.ts'
import { settingsTable } from '../settings/settings-table.ts'
import type { NodeChapter } from '../chapter.ts'
import { defaultStateDirectory, LOCK_FILE } from '../state/state-directory.ts'
import { readVersion } from '../version.ts'
import { checkCertificate } from './certificate.ts'
import { checkClock } from './clock.ts'
import { checkDatabase } from './database.ts'
import type { Finding } from './finding.ts'
import { coreFinding } from './finding-table.ts'
import { checkHash } from './hash.ts'
import { checkFolder, type NamedFolder, userText } from './folders.ts'
import { checkOpenFiles } from './limits.ts'
import { lockHolders } from './lock-holder.ts'
import { readMounts } from '../../io/files/mounts.ts'
import { checkAnswer, checkBinding, checkPort, type NamedPort } from './ports.ts'

/** What the command line gives: as to a start. */
export interface DoctorArguments {
  /** --state-dir, or null. */
  readonly stateDir: string | null
  readonly flags: SettingsOptions['flags']
  readonly chapters: readonly NodeChapter[]
  /** One JSON object instead of lines. */
  readonly json: boolean
}

/** Exit codes. */
const HEALTHY = 0
const ILL = 1

/** Looks, prints, and answers the exit code: 1 when there is a problem. Never rejects. */
export async function runDoctor(args: DoctorArguments): Promise<number> {
  const findings = await examine(args)
  const ill = findings.some(({ state }) => state === 'problem')
  process.stdout.write(args.json ? `${JSON.stringify({ healthy: !ill, findings })}\n` : findings.map(lineOf).join(''))
  return ill ? ILL : HEALTHY
}

function lineOf({ state, check, text, advice }: Finding): string {
  return `${state.padEnd(8)} ${check.padEnd(12)} ${text}\n${advice === '' ? '' : `${' '.repeat(22)}-> ${advice}\n`}`
}

/** Everything that was found, in the order a start meets it. */
export async function examine(args: DoctorArguments): Promise<Finding[]> {
  const env = process.env
  const chosen = args.stateDir ?? (env['TRIBUTARY_STATE_DIR'] || null)
  const stateDir = resolve(chosen ?? defaultStateDirectory(env, homedir()))
  const [pid = null] = await lockHolders(join(stateDir, LOCK_FILE))
  const program = { version: readVersion(), node: process.version, path: stateDir }
  const findings = [
    pid === null ? coreFinding('program_alone', program) : coreFinding('program_beside', { ...program, process: pid }),
    ...(await checkModules()),
  ]
  const { settings, ...configuration } = await readSettings(args, stateDir, chosen !== null)
  findings.push(...configuration.findings)
  const mounts = await readMounts()
  for (const folder of foldersOf(stateDir, settings)) findings.push(...(await checkFolder(folder, mounts)))
  const database = await checkDatabase(join(stateDir, DATABASE_FILE_NAME), pid)
  findings.push(...database.findings)
  findings.push(checkClock(Date.now(), latest(database.newestMs, await newestFile(stateDir))))
  if (settings === null) return findings
  if (settings.api.https_enabled) findings.push(await checkCertificate(settings.api, Date.now()))
  findings.push(...(await checkPorts(settings, { pid, stateDir })), ...checkBinding(settings.libtorrent.interface))
  for (const { examine: look } of args.chapters) findings.push(...((await look?.(settings, pid !== null)) ?? []))
  const needs = { openFiles: settings.disk.open_files, connections: settings.libtorrent.max_connections }
  return [...findings, checkHash(settings.disk.hash), await checkOpenFiles(needs, pid)]
}

/** The parts of the program that are made for one kind of machine. */
async function checkModules(): Promise<Finding[]> {
  const findings: Finding[] = []
  const modules = {
    'better-sqlite3': async () => new (await import('better-sqlite3')).default(':memory:').close(),
    'uWebSockets.js': async () => (await import('../../http/index.ts')).tryNativeServer(),
  }
  for (const [name, load] of Object.entries(modules)) {
    try {
      await load()
    } catch (error) {
      findings.push(coreFinding('module_missing', { module: name, error: errorText(error) }))
    }
  }
  return findings
}

async function readSettings(
  args: DoctorArguments,
  stateDir: string,
  stateDirChosen: boolean,
): Promise<{ settings: Settings | null; findings: Finding[] }> {
  const path = configPath(stateDir)
  try {
    const store = await SettingsStore.look({
      table: settingsTable(args.chapters),
      stateDir,
      stateDirChosen,
      homeDir: homedir(),
      env: process.env,
      flags: args.flags,
    })
    const findings = store.warnings.map(words => coreFinding('settings_line', { words }))
    const { api } = store.values
    // One that is not set at all is made at the first start.
    const unsafe = store.source('api.key') === 'default' ? null : listenProblem(api.key, api)
    if (unsafe !== null) findings.push(coreFinding('settings_unsafe', { words: unsafe }))
    const mode = (await stat(path).catch(() => null))?.mode ?? 0
    if ((mode & 0o077) !== 0) findings.push(coreFinding('settings_readable', { path }))
    return { settings: store.values, findings: [coreFinding('settings_ok', { path }), ...findings] }
  } catch (error) {
    const unusable = coreFinding('settings_unusable', { error: errorText(error), user: userText() })
    return { settings: null, findings: [unusable] }
  }
}

function foldersOf(stateDir: string, settings: Settings | null): NamedFolder[] {
  const state: NamedFolder = {
    path: stateDir,
    named: '--state-dir',
    kind: 'state',
    minFreeBytes: 0,
  }
  if (settings === null) return [state]
  const { download_defaults, disk, watch_folder } = settings
  const saveAs: NamedFolder = {
    path: download_defaults.saveas,
    named: 'download_defaults.saveas',
    kind: 'downloads',
    minFreeBytes: disk.min_free_bytes,
  }
  const { enabled, directory } = watch_folder
  if (!enabled || directory === '') return [state, saveAs]
  return [state, saveAs, { path: directory, named: 'watch_folder.directory', kind: 'watched', minFreeBytes: 0 }]
}

async function checkPorts(
  { api, libtorrent }: Settings,
  { pid, stateDir }: { pid: number | null; stateDir: string },
): Promise<Finding[]> {
  if (pid !== null) {
    const url = notedAddress(stateDir)
    // A certificate for a name is not checked by asking the address.
    if (url?.startsWith('http:') === true) return [await checkAnswer(url, pid)]
    return [coreFinding('node_not_asked', { process: pid })]
  }
  const ports: NamedPort[] = []
  if (api.https_port > 0 && api.https_enabled)
    ports.push({ host: api.https_host, port: api.https_port, protocol: 'tcp', named: 'api.https_port' })
  if (api.http_port > 0 && api.http_enabled)
    ports.push({ host: api.http_host, port: api.http_port, protocol: 'tcp', named: 'api.http_port' })
  if (libtorrent.port > 0) {
    for (const protocol of ['tcp', 'udp'] as const)
      ports.push({ host: '0.0.0.0', port: libtorrent.port, protocol, named: 'libtorrent.port' })
  }
  return Promise.all(ports.map(checkPort))
}

async function newestFile(folder: string): Promise<number | null> {
  let newest: number | null = null
  for (const name of await readdir(folder).catch(() => [])) {
    const facts = await stat(join(folder, name)).catch(() => null)
    newest = latest(newest, facts?.mtimeMs ?? null)
  }
  return newest
}

function latest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b)
}
