// The pages of the dashboard that tell of the node itself, in Chromium against a real node: what the doctor finds, what
// happened, the log.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings, CHROMIUM, startBrowser, type WatchedPage, watchedPage } from '../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'

const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

describe('pages of the node', { skip: needs(CHROMIUM), concurrency: 1, timeout: 120_000 }, () => {
  let node: NodeProcess
  let browser: Browser

  before(async () => {
    node = await startNode()
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
  })

  /** A page that has the key already. */
  async function signedIn(at: string, options: Parameters<typeof watchedPage>[2] = WIDE): Promise<WatchedPage> {
    const watched = await watchedPage(browser, node.baseUrl, options)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await watched.page.goto(`${node.baseUrl}/${at}`)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    return watched
  }

  test('doctor: what is so, what is not with what to do, and looking once more by keyboard', async () => {
    const watched = await signedIn('#/doctor', PHONE)
    const { page } = watched
    await page.getByRole('status').filter({ hasText: 'Checked at' }).waitFor()
    const { findings } = await node.get<{ findings: { state: string }[] }>('/debug/doctor')
    assert.equal(await page.locator('.findings li').count(), findings.length)
    const found = [
      { state: 'problem', check: 'mounts', text: '<b>\u202efull</b>', advice: 'Make room.' },
      { state: 'warning', check: 'database', text: 'w'.repeat(300), advice: 'Look.' },
      { state: 'ok', check: 'clock', text: 'The clock says now.', advice: '' },
    ]
    await page.route('**/debug/doctor', route =>
      route.fulfill({ json: { healthy: false, time: 1_700_000_000, findings: found } }),
    )
    await page.getByRole('button', { name: 'Check again' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'One problem. Checked at' }).waitFor()
    assert.equal(await page.evaluate(`document.activeElement?.textContent`), 'Check again')
    const problem = page.getByRole('region', { name: 'Problems' }).getByRole('listitem')
    assert.match(await problem.innerText(), /^Problem · Disks\s+<b>\ufffdfull<\/b>\s+What to do: Make room\.$/)
    await page.getByRole('region', { name: 'To look at' }).getByText('Warning · Database').waitFor()
    assert.equal(await page.getByText('The clock says now.').isVisible(), false, 'what is in order is put away')
    assert.deepEqual(await axeFindings(page), [])
    assert.equal(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`), 0)
    watched.check()
    await page.context().close()
  })
})
