// A new user's first minute in Debian's Chromium against a real node: a link that signs in, once.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings, CHROMIUM, startBrowser, watchedPage } from '../kit/nodes/browser.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

/** The probe for a node without a key, on every first visit. */
const PROBE = /401 \(Unauthorized\)/
const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const KEPT = `localStorage.getItem('tributary.key')`

describe('signing in', { skip: needs(CHROMIUM), concurrency: 1, timeout: 120_000 }, () => {
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

  const newLink = async () => (await runCli(['open', '--print', '--state-dir', node.stateDir])).stdout.trim()
  const keys = async () => (await node.get<{ keys: { name: string }[] }>('/keys')).keys.map(({ name }) => name)

  test('a link: one click to the list, and out of the address; used again it is refused in words; signing out takes the key back', async () => {
    const link = await newLink()
    const first = await watchedPage(browser, node.baseUrl, WIDE)
    await first.page.goto(link)
    await first.page.locator('.dot.live').waitFor({ state: 'attached' })
    assert.equal(first.page.url(), `${node.baseUrl}/#/downloads`)
    assert.equal(await first.page.evaluate('history.length'), 2, 'about:blank and the list')
    const key = String(await first.page.evaluate(KEPT))
    assert.match(key, /^[0-9a-f]{64}$/)
    assert.notEqual(key, node.key)
    assert.deepEqual(await keys(), ['chrome-linux'])
    await first.page.goto(await newLink())
    await first.page.reload()
    await first.page.locator('.dot.live').waitFor({ state: 'attached' })
    assert.deepEqual(await keys(), ['chrome-linux'], 'a page that has a key makes no other')
    const second = await watchedPage(browser, node.baseUrl, PHONE)
    await second.page.goto(link)
    await second.page.getByRole('alert').getByText('This sign-in link was used already').waitFor()
    assert.equal(await second.page.evaluate(KEPT), null)
    assert.equal(second.page.url(), `${node.baseUrl}/#/downloads`)
    await second.page.getByText('tributary open', { exact: true }).waitFor()
    assert.deepEqual(await axeFindings(second.page), [])
    second.check(/401 \(Unauthorized\)|403 \(Forbidden\)/)
    await second.page.context().close()
    await first.page.getByRole('button', { name: 'Sign out' }).click()
    await first.page.getByLabel('API key').waitFor()
    assert.deepEqual(await keys(), [])
    assert.equal((await node.request('GET', '/state', undefined, { 'x-api-key': key })).status, 401)
    first.check(PROBE)
    await first.page.context().close()
  })
})
