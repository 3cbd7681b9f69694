// Runs a child script of the build, reads its numbered acknowledgements, and kills it with SIGKILL in mid-work.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** How the child ends, when it is not killed at once. */
export interface KillManner {
  /** The kill comes so much later. */
  readonly lateMs?: number
  /** Instead of a kill: called once, and the child kills itself soon after (test/kit/doubles/killing-disk.c). */
  readonly ask?: () => void
  readonly env?: Readonly<Record<string, string>>
}

/** A child that was asked to end itself and goes on for so long has not come to the call at which it ends. */
const ASKED_LIMIT_MS = 10_000

/**
 * Starts `script` (a .js URL) and kills it once it has acknowledged `after` lines. Resolves with every whole line that
 * it wrote before it died. Rejects when it ends by itself, or does not end itself when it was asked to.
 */
export function killAfter(
  script: URL,
  args: readonly string[],
  after: number,
  manner: KillManner = {},
): Promise<string[]> {
  const { lateMs = 0, ask, env = {} } = manner
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    })
    let text = ''
    let late: NodeJS.Timeout | undefined
    const kill = (): boolean => child.kill('SIGKILL')
    const giveUp = (): void => {
      reject(new Error('the child never came to the call at which it was to end'))
      kill()
    }
    child.stdout.setEncoding('latin1')
    child.stdout.on('data', (chunk: string) => {
      text += chunk
      if (late !== undefined || text.split('\n').length <= after) return
      ask?.()
      if (ask === undefined && lateMs === 0) kill()
      late = ask === undefined ? setTimeout(kill, lateMs) : setTimeout(giveUp, ASKED_LIMIT_MS)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(late)
      if (signal !== 'SIGKILL') reject(new Error(`the child ended by itself: ${code ?? signal}`))
      else resolve(text.split('\n').slice(0, -1))
    })
  })
}
