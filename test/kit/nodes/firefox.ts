// Debian's Firefox without a window, driven over WebDriver BiDi (W3C); nothing is downloaded. By few commands: one that
// Debian keeps for a year knows fewer than the packages that drive the newest one send.

import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import WebSocket from 'ws'
import { waitFor } from '../wait-for.ts'
import { ended, endWithThisProcess } from './screen.ts'

/** The program; Debian's package firefox-esr. */
export const FIREFOX = 'firefox-esr'

/** Films begin without a tap; nothing is asked of its makers. */
const PREFERENCES = `user_pref('media.autoplay.default', 0);
user_pref('media.autoplay.blocking_policy', 0);
user_pref('media.autoplay.block-webaudio', false);
user_pref('app.update.disabledForTesting', true);
user_pref('browser.shell.checkDefaultBrowser', false);
user_pref('datareporting.policy.dataSubmissionEnabled', false);
user_pref('network.captive-portal-service.enabled', false);
user_pref('network.connectivity-service.enabled', false);
user_pref('toolkit.telemetry.server', 'data:,');
user_pref('services.settings.server', 'data:,');
`

/** A browser with one page. */
export interface DrivenFirefox {
  goto(url: string): Promise<void>
  /** What an expression is in the page: a value that JSON knows. */
  evaluate(expression: string): Promise<unknown>
  close(): Promise<void>
}

interface Answer {
  readonly id?: number
  readonly type: 'success' | 'error' | 'event'
  readonly result?: unknown
  readonly message?: string
}

/** Commands and their answers. */
class BidiSession {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #sent = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', data => {
      const answer = JSON.parse(String(data)) as Answer
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer)
    })
  }

  static async open(url: string): Promise<BidiSession> {
    const socket = new WebSocket(url)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return new BidiSession(socket)
  }

  async ask(method: string, params: object): Promise<unknown> {
    this.#sent += 1
    const id = this.#sent
    const answered = new Promise<Answer>(resolve => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({ id, method, params }))
    const answer = await answered
    this.#waiting.delete(id)
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message ?? ''}`)
    return answer.result
  }

  close(): void {
    this.#socket.terminate()
  }
}

/** Starts the browser. End it with close(). */
export async function startFirefox(): Promise<DrivenFirefox> {
  const profile = await mkdtemp(join(tmpdir(), 'tributary-firefox-'))
  await writeFile(join(profile, 'user.js'), PREFERENCES)
  const args = ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', profile]
  const child = spawn(FIREFOX, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } })
  endWithThisProcess(child)
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text
  })
  const address = /WebDriver BiDi listening on (ws:\/\/\S+)/
  await waitFor(
    'Firefox',
    () => address.test(told),
    30_000,
    () => told.slice(-500),
  )
  const session = await BidiSession.open(`${address.exec(told)?.[1] ?? ''}/session`)
  await session.ask('session.new', { capabilities: {} })
  const { contexts } = (await session.ask('browsingContext.getTree', {})) as { contexts: { context: string }[] }
  const context = contexts[0]?.context ?? ''
  return {
    goto: async url => void (await session.ask('browsingContext.navigate', { context, url, wait: 'complete' })),
    async evaluate(expression) {
      const asked = { expression: `JSON.stringify(${expression})`, target: { context }, awaitPromise: false }
      const said = (await session.ask('script.evaluate', asked)) as Evaluated
      if (said.type === 'exception') throw new Error(said.exceptionDetails?.text)
      return said.result?.value === undefined ? undefined : (JSON.parse(said.result.value) as unknown)
    },
    async close() {
      session.close()
      await ended(child)
      await rm(profile, { recursive: true, force: true })
    },
  }
}

interface Evaluated {
  readonly type: 'success' | 'exception'
  readonly result?: { readonly value?: string }
  readonly exceptionDetails?: { readonly text: string }
}
