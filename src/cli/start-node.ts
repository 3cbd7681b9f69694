// The command `start`: the node in this process.

import { type StartFlags, settingsOf } from './start-flags.ts'

/** What a command does when its arguments were read: the exit code. */
export type Work = () => Promise<number>

/** The work of `start`; the flags are not kept, a key is among them. */
export function runStart(flags: StartFlags): Work {
  const stateDir = flags.stateDir ?? null
  const apiKeyFile = flags.apiKeyFile ?? null
  const settings = settingsOf(flags)
  return async () => {
    const [{ runNode }, { endNow, endSoon }, { loadChapters }] = await Promise.all([
      import('../node/main.ts'),
      import('./process-end.ts'),
      import('../app/chapters.ts'),
    ])
    const chapters = await loadChapters()
    const { code, inTime } = await runNode({ stateDir, apiKeyFile, flags: settings, chapters }, endNow)
    if (inTime) endSoon(code)
    else endNow(code)
    return code
  }
}
