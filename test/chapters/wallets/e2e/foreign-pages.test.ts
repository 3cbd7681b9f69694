// What a web page from elsewhere can do to a node with money in it: nothing. In Debian's Chromium a page of another
// site and a page of another port of the same host try forms (text/plain with JSON in them), fetch of every kind and
// frames: without the key, with it, and where the owner has switched keys off.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startAnvil, withoutAnvil } from '../kit/anvil-chain.ts'
import { CHROMIUM, startBrowser } from '../../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import type { RpcChain } from '../kit/rpc-chain.ts'
import { WalletClient } from '../kit/wallet-client.ts'

const skip = withoutAnvil === false ? needs(CHROMIUM) : withoutAnvil
const THIEF = '0x52908400098527886E0F7030069857D2E4169EE7'
const ETHER = 10n ** 18n
const TRANSFER = { amount: 1, destination: THIEF }

/** One request that such a page makes; `key`: the thief knows the key. */
interface Attempt {
  readonly name: string
  readonly path: string
  readonly body: object
  readonly method: 'POST' | 'PUT'
}

const attempts: readonly Attempt[] = [
  { name: 'transfer', path: '/wallets/TETH/transfer', body: TRANSFER, method: 'POST' },
  { name: 'lock', path: '/wallets/TETH/lock', body: {}, method: 'POST' },
  {
    name: 'order',
    path: '/market/asks',
    body: { price: 1, quantity: 1, price_type: 'TBTC', quantity_type: 'TETH' },
    method: 'PUT',
  },
  { name: 'settings', path: '/settings', body: { wallets: { teth_server: '' } }, method: 'POST' },
  { name: 'shutdown', path: '/shutdown', body: {}, method: 'PUT' },
]

/** Nodes: as they come, and with keys switched off, where the origin alone stands between a page and the money. */
const nodes = [
  ['a node with a key', []],
  ['a node without keys', ['--api-key', '']],
] as const

for (const [which, args] of nodes)
  describe(`pages from elsewhere and ${which}`, { skip, concurrency: 1, timeout: 180_000 }, () => {
    let chain: RpcChain
    let node: NodeProcess
    let browser: Browser
    let site: Server
    let wallet: WalletClient
    let sitePort = 0
    let first = ''

    before(async () => {
      chain = await startAnvil()
      node = await startNode({
        args: [...args],
        settings: { 'wallets.teth_server': chain.url, 'wallets.teth_chain_id': 31_337 },
      })
      wallet = new WalletClient(node, 'TETH')
      await wallet.create()
      const [rich = ''] = await chain.call<string[]>('eth_accounts')
      const { address } = await wallet.record()
      await chain.call('eth_sendTransaction', { from: rich, to: address, value: `0x${(5n * ETHER).toString(16)}` })
      await wallet.until(({ balance }) => balance.available_exact === '5')
      site = createServer((_, reply) =>
        reply.setHeader('content-type', 'text/html').end('<!doctype html><title>x</title>'),
      )
      await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
      sitePort = (site.address() as AddressInfo).port
      browser = await startBrowser()
      first = await standing()
    })
    after(async () => {
      await browser?.close()
      site?.close()
      await node?.stop()
      await chain?.stop()
    })

    /**
     * All that such a page could have changed, as one text: only the lines of the audit, the state of the wallet,
     * orders, the thief's balance, settings.
     */
    async function standing(): Promise<string> {
      const { audit } = await node.get<{ audit: object[] }>('/wallets/audit')
      const { unlocked } = await wallet.record()
      const { settings } = await node.get<{ settings: object }>('/settings')
      const orders = (await node.request('GET', '/market/orders')).body.toString()
      const stolen = await chain.call<string>('eth_getBalance', THIEF, 'latest')
      return JSON.stringify({ audit, unlocked, orders, stolen, settings })
    }

    /** A page of the site, opened under a host name; `127.0.0.1` is the host of the node. */
    async function opened(host: string): Promise<Page> {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(`http://${host}:${sitePort}/`)
      return page
    }

    /** A form whose fields spell JSON as text/plain, as in attacks on wallets of the past. */
    function sendForm(page: Page, { path, body }: Attempt, key: string): Promise<unknown> {
      const text = JSON.stringify({ ...body, apikey: key, key })
      const head = text.slice(0, -1)
      return page.evaluate(
        `new Promise(done => {
        const frame = document.createElement('iframe')
        frame.name = 'hidden'
        document.body.append(frame)
        const form = document.createElement('form')
        Object.assign(form, { method: 'POST', enctype: 'text/plain', target: 'hidden', action: ${JSON.stringify(node.baseUrl + path)} })
        const input = document.createElement('input')
        input.name = ${JSON.stringify(`${head},"x":"`)}
        input.value = ${JSON.stringify('"}')}
        form.append(input)
        document.body.append(form)
        frame.addEventListener('load', () => { form.remove(); frame.remove(); done(true) })
        form.submit()
      })`,
      )
    }

    /** What fetch gives the page: an answer it can read, or nothing. */
    function sendFetch(
      page: Page,
      { path, body, method }: Attempt,
      key: string,
      mode: 'cors' | 'no-cors',
    ): Promise<unknown> {
      const simple = mode === 'no-cors'
      const headers = simple
        ? { 'Content-Type': 'text/plain' }
        : { 'Content-Type': 'application/json', ...(key === '' ? {} : { 'X-Api-Key': key }) }
      const init = { method: simple ? 'POST' : method, mode, headers, body: JSON.stringify({ ...body, apikey: key }) }
      const url = JSON.stringify(node.baseUrl + path)
      return page.evaluate(
        `fetch(${url}, ${JSON.stringify(init)}).then(async a => a.type + (await a.text()), () => 'refused')`,
      )
    }

    for (const [what, host] of [
      ['another site', 'thief.localhost'],
      ['another port of the same host', '127.0.0.1'],
    ] as const)
      for (const known of args.length === 0 ? [false, true] : [false])
        test(`${what}${known ? ', even with the key' : ''}: forms and fetch change nothing and read nothing`, async () => {
          const page = await opened(host)
          const key = known ? node.key : ''
          for (const attempt of attempts) {
            await sendForm(page, attempt, key)
            assert.equal(await sendFetch(page, attempt, key, 'cors'), 'refused', attempt.name)
            // Without CORS a page sees that something was answered, and nothing of it.
            assert.match(String(await sendFetch(page, attempt, key, 'no-cors')), /^(opaque|refused)$/, attempt.name)
          }
          const read = (path: string, mode: string) =>
            page.evaluate(
              `fetch(${JSON.stringify(`${node.baseUrl}${path}?apikey=${key}`)}, { mode: '${mode}' }).then(a => a.text(), () => '')`,
            )
          for (const path of ['/wallets', '/wallets/audit', '/market/orders', '/settings', '/downloads'])
            for (const mode of ['cors', 'no-cors']) assert.equal(await read(path, mode), '', `${path} ${mode}`)
          assert.equal(await standing(), first)
          await page.context().close()
        })

    test('the dashboard is shown in no frame of another page, and the storage of the key is not theirs', async () => {
      const page = await opened('127.0.0.1')
      const frame = `new Promise(done => {
      const frame = document.createElement('iframe')
      frame.src = ${JSON.stringify(`${node.baseUrl}/#/wallets`)}
      frame.addEventListener('load', () => {
        let read = 'closed'
        try { read = frame.contentDocument?.title ?? 'closed' } catch {}
        done(read)
      })
      document.body.append(frame)
    })`
      assert.equal(await page.evaluate(frame), 'closed')
      assert.equal(await page.evaluate(`localStorage.getItem('tributary.key')`), null)
      await page.context().close()
    })

    test('the same requests from the node itself do something: what was tried would have worked', async () => {
      const transferred = await node.request('POST', '/wallets/TETH/transfer', TRANSFER)
      assert.equal(transferred.status, 200, transferred.body.toString())
      assert.notEqual(await standing(), first)
    })
  })
