// The bare server of bare-uws-server.ts in a process of its own.

import { fileURLToPath } from 'node:url'
import { untilAnswers } from '../local-http.ts'
import { type OwnedProcess, startOwned } from '../owned-processes.ts'

const program = fileURLToPath(new URL('./bare-uws-server.js', import.meta.url))
const PORT = 18087

/** A bare server of one file, running. */
export interface BareServer extends OwnedProcess {
  /** Of the file. */
  readonly url: string
}

/** Serves the file at `path`. */
export async function startBareServer(path: string, ip: string): Promise<BareServer> {
  const server = startOwned(process.execPath, [program, path, ip, String(PORT)])
  const base = `http://${ip}:${PORT}`
  await untilAnswers(`${base}/`, () => server.assertRunning())
  return { ...server, url: `${base}/file` }
}
