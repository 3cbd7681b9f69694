// Debian's Chromium, driven by playwright-core; nothing is downloaded. Every page that is opened here fails its test
// when it writes an error to its console or asks any other address than the node's.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { waitFor } from '../wait-for.ts'

/** The program; Debian's package chromium. */
export const CHROMIUM = 'chromium'

/** A browser without a window. End it with close(). `more`: further arguments. */
export function startBrowser(more: readonly string[] = []): Promise<Browser> {
  // Tests run as root, for whom Chromium has no sandbox; the default sound device of a server is none.
  const args = ['--no-sandbox', '--mute-audio', '--autoplay-policy=no-user-gesture-required', ...more]
  return chromium.launch({ executablePath: `/usr/bin/${CHROMIUM}`, args })
}

/** A page and what went wrong in it. */
export interface WatchedPage {
  readonly page: Page
  /** Errors of the console and uncaught exceptions. */
  readonly errors: string[]
  /** Requests to other addresses. */
  readonly strangers: string[]
  /** Fails when anything went wrong; `expected` = errors that the test caused. */
  check(expected?: RegExp): void
}

/** A page of its own context: empty storage, no cookies. */
export async function watchedPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const errors: string[] = []
  const strangers: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', error => errors.push(String(error)))
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) strangers.push(url)
  })
  return {
    page,
    errors,
    strangers,
    check(expected) {
      const unexpected = errors.filter(text => expected?.test(text) !== true)
      assert.deepEqual(unexpected, [], 'the console of the page has errors')
      assert.deepEqual(strangers, [], 'the page asks other addresses')
    },
  }
}

/**
 * Waits until an expression is true in the page. Its policy lets a page evaluate nothing by itself: it is asked each
 * time.
 */
export async function untilInPage(page: Page, expression: string, limitMs = 20_000): Promise<void> {
  await waitFor(expression, async () => (await page.evaluate(expression)) === true, limitMs)
}

/** What axe-core finds in a page, without what is minor: each as `rule: selector`. */
export async function axeFindings(page: Page): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // Not as a script element: the page's policy knows none but its own.
  await page.evaluate(source)
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; impact: string; nodes: { target: string[]; html: string }[] }[] }>
      }
    }
    return (await axe.run()).violations
  })
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target, html }) => `${impact} ${id}: ${target.join(' ')} ${html.slice(0, 160)}`),
    )
}
