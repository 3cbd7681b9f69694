// `tributary doctor` for a node that runs, as its interface asks for it: in a process beside it, by the settings that
// the node has. See decision 0568.

import { randomBytes } from 'node:crypto'
import { runOwnProgram } from '../../io/process/own-program.ts'
import type { SettingsStore } from '../settings/settings-store.ts'

/** It takes well under a second; a large database on a slow disk is read as a whole. */
const LIMIT_MS = 30_000

/** What it is started for. */
export interface DoctorOfNode {
  readonly stateDir: string
  readonly settings: SettingsStore
}

/** Doctors of one node: at most one runs. */
export class DoctorsBeside {
  readonly #node: DoctorOfNode
  readonly #end = new AbortController()
  /** The last one has not gone. */
  #isHeld = false

  constructor(node: DoctorOfNode) {
    this.#node = node
  }

  /** What it printed. Rejects when it did not come to an end, or an earlier one still has not. */
  async examine(): Promise<string> {
    if (this.#isHeld) throw new Error('an earlier one is still held by a disk that does not answer')
    const { stateDir, settings } = this.#node
    this.#isHeld = true
    const { output, gone } = runOwnProgram({
      script: process.argv[1] ?? '',
      args: ['doctor', '--json', '--state-dir', stateDir, ...flagsOf(settings)],
      env: environmentFor(settings),
      limitMs: LIMIT_MS,
      signal: this.#end.signal,
    })
    void gone.then(() => {
      this.#isHeld = false
    })
    return output
  }

  /** Kills one that runs. */
  stop(): void {
    this.#end.abort()
  }
}

/** The flags of the start, for it to see the same settings; none that is a secret: arguments can be read by others. */
function flagsOf(settings: SettingsStore): string[] {
  return settings
    .givenFlags()
    .flatMap(([path, value]) => ['--set', `${path}=${typeof value === 'string' ? value : JSON.stringify(value)}`])
}

/** A key that came by a flag or the environment is another one there: only that there is one counts. */
function environmentFor(settings: SettingsStore): NodeJS.ProcessEnv {
  const source = settings.source('api.key')
  const isElsewhere = source === 'flag' || source === 'environment'
  return isElsewhere ? { ...process.env, CORE_API_KEY: randomBytes(16).toString('hex') } : process.env
}
