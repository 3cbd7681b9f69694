// What `tributary doctor` finds, for those who ask by the interface: one examination at a time, whoever asks, and none
// so soon after another that asking could keep the machine busy.

import { errorText } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DoctorFinding, DoctorReport } from './debug-api.ts'

/** An answer that is younger is given once more, ms. */
const FRESH_MS = 5000
/** What a report may hold: the program finds some twenty things. */
const MAX_FINDINGS = 200
const MAX_TEXT_CHARS = 4096
const MAX_PARAMETERS = 16
const STATES = new Set(['ok', 'warning', 'problem'])

/** Examines; resolves with the JSON that `tributary doctor --json` prints. Rejects when that does not come. */
export type Examine = () => Promise<string>

/** Examinations that share their answers. */
export class DoctorRuns {
  readonly #clock: Clock
  readonly #examine: Examine
  #running: Promise<DoctorReport> | null = null
  #last: { readonly report: DoctorReport; readonly endedMs: number } | null = null

  constructor({ clock, examine }: { readonly clock: Clock; readonly examine: Examine }) {
    this.#clock = clock
    this.#examine = examine
  }

  /** What is found now, or was found less than five seconds ago. Never rejects: that it failed is a finding. */
  report(): Promise<DoctorReport> {
    if (this.#running !== null) return this.#running
    const last = this.#last
    if (last !== null && this.#clock.now() - last.endedMs < FRESH_MS) return Promise.resolve(last.report)
    this.#running = this.#run()
    return this.#running
  }

  async #run(): Promise<DoctorReport> {
    const findings = await this.#findings()
    const report: DoctorReport = {
      healthy: findings.every(({ state }) => state !== 'problem'),
      time: Math.floor(this.#clock.wallMs() / 1000),
      findings,
    }
    this.#last = { report, endedMs: this.#clock.now() }
    this.#running = null
    return report
  }

  async #findings(): Promise<DoctorFinding[]> {
    try {
      return readFindings(await this.#examine())
    } catch (error) {
      return [notExamined(errorText(error))]
    }
  }
}

function notExamined(error: string): DoctorFinding {
  return {
    state: 'problem',
    check: 'doctor',
    code: 'not_examined',
    parameters: { error: cut(error) },
    text: `The examination did not come to an end: ${error}.`,
    advice: 'Run `tributary doctor` on the machine of the node.',
  }
}

/** The findings of a printed report. Throws for what is none. */
function readFindings(printed: string): DoctorFinding[] {
  const { findings } = JSON.parse(printed) as { findings?: unknown }
  if (!Array.isArray(findings)) throw new TypeError('it printed no findings')
  return findings.slice(0, MAX_FINDINGS).map(found => {
    const { state, check, code, parameters, text, advice } = found as Record<string, unknown>
    if (typeof state !== 'string' || !STATES.has(state)) throw new TypeError('it printed something else than findings')
    return {
      state: state as DoctorFinding['state'],
      check: cut(check),
      code: cut(code),
      parameters: readParameters(parameters),
      text: cut(text),
      advice: cut(advice),
    }
  })
}

/** Texts and numbers of it; a text without its parameters is said as the report has it. */
function readParameters(parameters: unknown): DoctorFinding['parameters'] {
  if (typeof parameters !== 'object' || parameters === null) return {}
  const known = Object.entries(parameters)
    .slice(0, MAX_PARAMETERS)
    .filter((entry): entry is [string, string | number] => typeof entry[1] === 'string' || Number.isFinite(entry[1]))
  return Object.fromEntries(known.map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]))
}

function cut(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, MAX_TEXT_CHARS) : ''
}
