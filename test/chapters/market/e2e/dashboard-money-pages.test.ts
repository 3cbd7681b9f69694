// Looks of the dashboard's pages of wallets and the market in Debian's Chromium, with answers the test makes up: every
// part in two widths and both colour schemes through axe-core; long books; what is said of each state. What the pages
// do with a real chain: dashboard-wallets.test.ts.

import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { axeFindings, CHROMIUM, startBrowser, type WatchedPage, watchedPage } from '../../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { showMoney } from '../kit/sample-money.ts'

const skip = needs(CHROMIUM)
const pictures = process.env['PICTURES'] ?? ''
const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

/** Each part: its address, and a text that stands there when it is drawn. */
const parts = [
  ['wallets', '#/wallets', '1.25000001 BTC'],
  ['wallet', '#/wallets/BTC', 'Waits for a block'],
  ['market', '#/market', 'LTC / BTC'],
  ['orders', '#/market/orders', 'Suspended: its wallet is locked'],
  ['trades', '#/market/trades', 'Waits until the other side'],
] as const

describe('dashboard, looks of money', { skip, concurrency: 1, timeout: 180_000 }, () => {
  let node: NodeProcess
  let browser: Browser

  before(async () => {
    node = await startNode({})
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
  })

  async function opened(at: string, options: BrowserContextOptions): Promise<WatchedPage> {
    const watched = await watchedPage(browser, node.baseUrl, options)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await showMoney(watched.page)
    await watched.page.goto(`${node.baseUrl}/${at}`)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    return watched
  }

  for (const [width, size] of [
    ['wide', WIDE],
    ['phone', PHONE],
  ] as const)
    for (const colorScheme of ['dark', 'light'] as const)
      test(`every part, ${width} and ${colorScheme}: nothing serious for axe-core, nothing wider than the screen`, async () => {
        const watched = await opened('#/wallets', { ...size, colorScheme })
        const { page } = watched
        for (const [name, at, text] of parts) {
          await page.goto(`${node.baseUrl}/${at}`)
          await page.getByText(text).first().waitFor()
          assert.deepEqual(await axeFindings(page), [], name)
          const tooWide = `Math.max(...[document.documentElement, document.querySelector('main')].map(e => e.scrollWidth - e.clientWidth))`
          assert.ok(Number(await page.evaluate(tooWide)) <= 0, `${name} is wider than the screen`)
          if (pictures !== '') {
            await mkdir(pictures, { recursive: true })
            await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) })
          }
        }
        watched.check()
        await page.context().close()
      })

  test('a long book is drawn in parts, own orders are marked', async () => {
    const watched = await opened('#/market', WIDE)
    const { page } = watched
    const asks = page.getByRole('region', { name: 'Asks of LTC / BTC' })
    await asks.locator('tbody tr').first().waitFor()
    assert.equal(await asks.locator('tbody tr').count(), 100)
    assert.equal(await asks.getByText('You', { exact: true }).count(), 1)
    await asks.getByRole('button', { name: /Show more \(142 left\)/ }).click()
    await asks.locator('tbody tr').nth(150).waitFor()
    watched.check()
    await page.context().close()
  })

  test('why an order stands, and the transactions of a trade, are asked for when they are wanted', async () => {
    const watched = await opened('#/market/orders', WIDE)
    const { page } = watched
    await page.locator('[data-order="6"]').getByRole('button', { name: 'Why?' }).click()
    await page.getByText('No order in the book crosses this price.').waitFor()
    assert.equal(
      await page
        .locator('[data-order="2"]')
        .getByRole('button', { name: /Cancel/ })
        .count(),
      0,
    )
    assert.equal(
      await page
        .locator('[data-order="5"]')
        .getByRole('button', { name: /Cancel/ })
        .count(),
      1,
    )
    await page.goto(`${node.baseUrl}/#/market/trades`)
    await page.locator('[data-trade="4"]').getByRole('button', { name: 'Transactions' }).click()
    await page.getByText('Claimed with the secret (other side)').waitFor()
    watched.check()
    await page.context().close()
  })

  test('the form says what an order comes to before anything is asked', async () => {
    const watched = await opened('#/market', WIDE)
    const { page } = watched
    const form = page.getByRole('form', { name: 'New order' })
    const check = form.getByRole('button', { name: 'Check…' })
    assert.equal(await check.isDisabled(), true)
    await form.getByLabel('Quantity').fill('1.5')
    await form.getByLabel('Price of one LTC').fill('0.0000003')
    await form.getByText('In all 0.00000045 BTC.').waitFor()
    assert.equal(await check.isDisabled(), false)
    for (const bad of ['-1', 'NaN', '1e3', '0', '']) {
      await form.getByLabel('Quantity').fill(bad)
      assert.equal(await check.isDisabled(), true, bad)
    }
    watched.check()
    await page.context().close()
  })
})
