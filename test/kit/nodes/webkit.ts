// Debian's WebKitGTK: its small browser, driven over WebDriver (W3C) by requests, on an X server without a screen.

import { spawn } from 'node:child_process'
import { freePort } from '../free-port.ts'
import { waitFor } from '../wait-for.ts'
import { ended, endWithThisProcess, startScreen } from './screen.ts'

/** Debian's packages webkit2gtk-driver and xvfb. */
export const WEBKIT = ['WebKitWebDriver', 'Xvfb'] as const
/** Starting the browser takes some seconds beside others. */
const ANSWER_LIMIT_MS = 60_000
const BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser'

/** A browser with one page. */
export interface DrivenWebKit {
  goto(url: string): Promise<void>
  /** What an expression is in the page. */
  evaluate(expression: string): Promise<unknown>
  close(): Promise<void>
}

/**
 * Starts the browser. End it with close(). `lacking`: decoders of GStreamer that it does not find, as where their
 * package is not installed.
 */
export async function startWebKit(lacking: readonly string[] = []): Promise<DrivenWebKit> {
  const screen = await startScreen()
  const port = await freePort()
  // A system without a language, as servers have it: that must not matter to the page.
  const env = {
    ...process.env,
    LANG: 'C',
    DISPLAY: screen.display,
    WEBKIT_DISABLE_DMABUF_RENDERER: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
    GST_PLUGIN_FEATURE_RANK: lacking.map(name => `${name}:NONE`).join(),
  }
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' })
  endWithThisProcess(driver)
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    // A page that hangs answers nothing at all, however long one waits.
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS)
    const init = { method, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const { value } = (await answer.json()) as { value: unknown }
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`)
    return value
  }
  await waitFor('the driver', () => ask('GET', '/status').catch(() => null))
  const options = { binary: BROWSER, args: ['--automation', '--autoplay-policy=allow'] }
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
  const { sessionId } = (await ask('POST', '/session', { capabilities })) as { sessionId: string }
  const session = `/session/${sessionId}`
  return {
    goto: async url => void (await ask('POST', `${session}/url`, { url })),
    evaluate: expression => ask('POST', `${session}/execute/sync`, { script: `return (${expression})`, args: [] }),
    async close() {
      await ask('DELETE', session).catch(() => undefined)
      await ended(driver)
      await screen.close()
    },
  }
}
