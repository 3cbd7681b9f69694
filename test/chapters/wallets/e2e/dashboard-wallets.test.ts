// Wallets in the dashboard, in Debian's Chromium with a built node on a real chain of anvil: created (the words of the
// seed are shown once), locked, unlocked, paid and paying; refusals of the node are shown where they belong.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startAnvil, withoutAnvil } from '../kit/anvil-chain.ts'
import { axeFindings, CHROMIUM, startBrowser, type WatchedPage, watchedPage } from '../../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import type { RpcChain } from '../kit/rpc-chain.ts'
import { WalletClient } from '../kit/wallet-client.ts'

const skip = withoutAnvil === false ? needs(CHROMIUM) : withoutAnvil
const PASSWORD = 'correct horse battery staple'
const THEIRS = '0x52908400098527886E0F7030069857D2E4169EE7'
const ETHER = 10n ** 18n

describe('dashboard, wallets', { skip, concurrency: 1, timeout: 180_000 }, () => {
  let chain: RpcChain
  let node: NodeProcess
  let browser: Browser
  let watched: WatchedPage

  before(async () => {
    chain = await startAnvil()
    node = await startNode({ settings: { 'wallets.teth_server': chain.url, 'wallets.teth_chain_id': 31_337 } })
    browser = await startBrowser()
    watched = await watchedPage(browser, node.baseUrl)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await chain?.stop()
  })

  const card = (coin: string) => watched.page.locator(`[data-wallet="${coin}"]`)

  test('a wallet without a server says why it cannot be created, and leads to the settings', async () => {
    const { page } = watched
    await page.goto(`${node.baseUrl}/#/wallets`)
    await card('BTC').getByText('No server is set for BTC, so this wallet cannot be created.').waitFor()
    assert.match(await card('BTC').innerText(), /under wallets\.btc_server in the settings/)
    assert.equal(await card('BTC').getByRole('button').count(), 0)
    assert.deepEqual(await axeFindings(page), [])
    await card('BTC').getByRole('link', { name: 'Open Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await page.goBack()
  })

  test('the first wallet shows the words of its seed, once', async () => {
    const { page } = watched
    assert.equal(await card('TETH').count(), 0, 'wallets of test networks are behind a switch')
    await page.getByLabel('Show test networks').check()
    await card('TETH').getByRole('button', { name: 'Create TETH…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await dialog.getByLabel('Password again').fill('another')
    assert.equal(await dialog.getByRole('button', { name: 'Create', exact: true }).isDisabled(), true)
    await dialog.getByLabel('Password again').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    const words = (await page.locator('[data-seed]').innerText()).trim()
    assert.ok(words.split(/\s+/).length >= 12, 'the words of a seed')
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('button', { name: 'I wrote them down' }).click()
    await card('TETH').getByText('Unlocked: it can spend.').waitFor()
    assert.equal(await page.getByText(words).count(), 0)
    const kept = await page.evaluate('JSON.stringify({ ...localStorage }) + document.documentElement.innerHTML')
    assert.ok(!String(kept).includes(words), 'the words stay nowhere in the page')
  })

  test('it is paid and pays, after what it costs was shown', async () => {
    const { page } = watched
    const [rich = ''] = await chain.call<string[]>('eth_accounts')
    const { address } = await new WalletClient(node, 'TETH').record()
    await chain.call('eth_sendTransaction', { from: rich, to: address, value: `0x${(3n * ETHER).toString(16)}` })
    await card('TETH').getByText('3 TETH', { exact: true }).waitFor()
    await card('TETH').getByRole('link', { name: 'Open TETH' }).click()
    const form = page.getByRole('form', { name: 'Transfer' })
    await form.getByLabel('Amount').fill('1.000000000000000001')
    await form.getByLabel('To this address').fill(THEIRS)
    await form.getByRole('button', { name: 'Check…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Transfer TETH' })
    await dialog.getByText(/^0\.\d+ TETH$/).waitFor()
    await dialog.getByRole('button', { name: 'Transfer', exact: true }).click()
    await page.getByText('−1.000000000000000001 TETH').waitFor()
    assert.equal(BigInt(await chain.call<string>('eth_getBalance', THEIRS, 'latest')), ETHER + 1n)
  })

  test('an address that is none is refused before anything is signed', async () => {
    const { page } = watched
    const form = page.getByRole('form', { name: 'Transfer' })
    await form.getByLabel('Amount').fill('1')
    await form.getByLabel('To this address').fill('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD')
    await form.getByRole('button', { name: 'Check…' }).click()
    await page
      .getByText(/address/i)
      .first()
      .waitFor()
    await page
      .locator('.notices')
      .getByText(/address/i)
      .waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('a locked wallet spends only after its password', async () => {
    const { page } = watched
    await page.goto(`${node.baseUrl}/#/wallets`)
    await card('TETH').getByRole('button', { name: 'Lock' }).click()
    await card('TETH')
      .getByText(/^Locked\./)
      .waitFor()
    assert.equal((await new WalletClient(node, 'TETH').record()).unlocked, false)
    await card('TETH').getByRole('button', { name: 'Unlock…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Unlock TETH' })
    await dialog.getByLabel('Password').fill('wrong')
    await dialog.getByRole('button', { name: 'Unlock' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Unlock' }).click()
    await card('TETH').getByText('Unlocked: it can spend.').waitFor()
    watched.check(/40[039]/)
  })
})
