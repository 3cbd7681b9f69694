// The market in the dashboard, in Debian's Chromium with a built node whose wallets are on real chains (litecoind,
// anvil): an order is placed after what it costs was shown, is in the book, says why it is in its state, and is taken
// back; refusals of the node are shown where they belong.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startAnvil, withoutAnvil } from '../../wallets/kit/anvil-chain.ts'
import { axeFindings, CHROMIUM, startBrowser, type WatchedPage, watchedPage } from '../../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { type RpcChain, startLitecoind } from '../../wallets/kit/rpc-chain.ts'
import { WalletClient } from '../../wallets/kit/wallet-client.ts'

const skip = withoutAnvil === false ? needs(CHROMIUM, 'litecoind') : withoutAnvil
const ETHER = 10n ** 18n

interface Orders {
  readonly orders: readonly { order_number: number; status: string; quantity_exact: string; price_exact: string }[]
}

describe('dashboard, market', { skip, concurrency: 1, timeout: 240_000 }, () => {
  let ether: RpcChain
  let litecoin: RpcChain
  let node: NodeProcess
  let browser: Browser
  let watched: WatchedPage

  before(async () => {
    ether = await startAnvil()
    litecoin = await startLitecoind(450)
    const settings = {
      'wallets.teth_server': ether.url,
      'wallets.teth_chain_id': 31_337,
      'wallets.tltc_server': litecoin.url,
      'wallets.tltc_network': 'regtest',
    }
    node = await startNode({ settings })
    await payWallets()
    browser = await startBrowser()
    watched = await watchedPage(browser, node.baseUrl)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await watched.page.goto(`${node.baseUrl}/#/market`)
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await litecoin?.stop()
    await ether?.stop()
  })

  async function payWallets(): Promise<void> {
    const [coins, wei] = [new WalletClient(node, 'TLTC'), new WalletClient(node, 'TETH')]
    await coins.create()
    await wei.create()
    await litecoin.call('sendtoaddress', (await coins.record()).address, 10)
    await litecoin.call('generatetoaddress', 2, await litecoin.call<string>('getnewaddress', '', 'bech32'))
    const [rich = ''] = await ether.call<string[]>('eth_accounts')
    const value = `0x${(5n * ETHER).toString(16)}`
    await ether.call('eth_sendTransaction', { from: rich, to: (await wei.record()).address, value })
    await coins.until(({ balance }) => balance.available_exact === '10')
    await wei.until(({ balance }) => balance.available_exact === '5')
  }

  const form = () => watched.page.getByRole('form', { name: 'New order' })

  async function fill(quantity: string, price: string): Promise<void> {
    await form().getByLabel('Coin').selectOption('TLTC')
    await form().getByLabel('Paid in').selectOption('TETH')
    await form().getByLabel('Quantity').fill(quantity)
    await form().getByLabel('Price of one TLTC').fill(price)
  }

  test('an empty book says so', async () => {
    await watched.page.getByText('no other node of the market has been reached yet. Check').waitFor()
    assert.deepEqual(await axeFindings(watched.page), [])
  })

  test('more than there is cannot be sold: the dialog says what is there', async () => {
    const { page } = watched
    await fill('11', '0.03')
    await form().getByRole('button', { name: 'Check…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sell TLTC' })
    await dialog.getByRole('button', { name: 'Place the order' }).click()
    await dialog.getByRole('alert').getByText('Insufficient funds').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await node.get<Orders>('/market/orders')).orders.length, 0)
  })

  test('an order is placed once, exactly as it was written, after its fees were shown', async () => {
    const { page } = watched
    await fill('2.00000001', '0.030000000000000001')
    await form().getByText('In all 0.060000000300000002 TETH.').waitFor()
    await form().getByRole('button', { name: 'Check…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sell TLTC' })
    await dialog.getByText('Fees in TLTC, a trade').waitFor()
    await dialog.getByText('What can be lost:').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await dialog.getByRole('button', { name: 'Place the order' }).dblclick()
    await page.locator('[data-order]').first().waitFor()
    const { orders } = await node.get<Orders>('/market/orders')
    assert.deepEqual(
      orders.map(({ status, quantity_exact, price_exact }) => [status, quantity_exact, price_exact]),
      [['open', '2.00000001', '0.030000000000000001']],
    )
  })

  test('it stands in the book as ours, and its funds are set aside', async () => {
    const { page } = watched
    await page.getByRole('link', { name: 'Order book' }).click()
    const asks = page.getByRole('region', { name: 'Asks of TLTC / TETH' })
    await asks.getByText('2.00000001').waitFor()
    await asks.getByText('You', { exact: true }).waitFor()
    await page.goto(`${node.baseUrl}/#/wallets`)
    await page
      .locator('[data-wallet="TLTC"]')
      .getByText(/of it set aside for the market/)
      .waitFor()
  })

  test('its page says why it is in its state, and it is taken back', async () => {
    const { page } = watched
    await page.goto(`${node.baseUrl}/#/market/orders`)
    const row = page.locator('[data-order]').first()
    await row.getByRole('button', { name: 'Why?' }).click()
    await row.getByRole('list', { name: 'Reasons' }).getByRole('listitem').first().waitFor()
    await row.getByRole('button', { name: /Cancel order/ }).click()
    await row.getByText('Cancelled').waitFor()
    assert.equal(await row.getByRole('button', { name: /Cancel order/ }).count(), 0)
    await page.goto(`${node.baseUrl}/#/market/trades`)
    await page.getByText('You have made no trade.').waitFor()
    watched.check(/400/)
  })

  test('a locked wallet suspends its order, and the page says so', async () => {
    const { page } = watched
    const order = { price_exact: '0.03', quantity_exact: '1', price_type: 'TETH', quantity_type: 'TLTC' }
    assert.equal((await node.request('PUT', '/market/asks', order)).status, 200)
    assert.equal((await node.request('POST', '/wallets/TLTC/lock', {})).status, 200)
    await page.goto(`${node.baseUrl}/#/market/orders`)
    await page.getByText('Suspended: its wallet is locked').waitFor()
  })
})
