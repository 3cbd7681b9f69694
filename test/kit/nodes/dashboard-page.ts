// The dashboard of a node in a page of its own, signed in.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type WatchedPage, watchedPage } from './browser.ts'
import type { NodeProcess } from './node-process.ts'

/** A phone, for `options`. */
export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

interface DashboardPage {
  /** Its place behind the address of the node, as `#/events`. */
  readonly at?: string
  readonly options?: BrowserContextOptions
  /** Runs in the page before its own scripts, at each load. */
  readonly script?: string
  /** Is done before the page is first loaded. */
  prepare?(page: Page): unknown
}

/** Opens it, and waits until it hears of what changes. Whoever opens it closes its context. */
export async function openDashboard(
  browser: Browser,
  { baseUrl, key }: Pick<NodeProcess, 'baseUrl' | 'key'>,
  { at = '', options = {}, script = '', prepare }: DashboardPage = {},
): Promise<WatchedPage> {
  const watched = await watchedPage(browser, baseUrl, options)
  const { page } = watched
  await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(key)});${script}`)
  await prepare?.(page)
  await page.goto(`${baseUrl}/${at}`)
  await page.locator('.dot.live').waitFor({ state: 'attached' })
  return watched
}
