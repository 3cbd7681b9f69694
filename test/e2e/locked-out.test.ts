// A web page from elsewhere that asks the node with wrong keys in addresses: images, fetch and frames, in Debian's
// Chromium. The owner at the same address goes on, and a key that is used for the first time is no worse for it.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { CHROMIUM, startBrowser } from '../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const ASKED = 200

describe('a hostile page', { skip: needs(CHROMIUM), concurrency: 1, timeout: 120_000 }, () => {
  let node: NodeProcess
  let browser: Browser
  let site: Server
  let sitePort = 0

  before(async () => {
    node = await startNode()
    // Both names of the node: the browser opens few connections to each.
    const targets = ['127.0.0.1', 'localhost'].map(host => `http://${host}:${node.port}`)
    const script = `let n = 0, asking = 0
      const next = () => {
        if (asking < 64) for (const target of ${JSON.stringify(targets)}) {
          const url = target + '/state?key=wrong' + n++
          const done = () => { asking--; window.answered = (window.answered ?? 0) + 1 }
          asking += 2
          Object.assign(new Image(), { src: url, onerror: done, onload: done })
          fetch(url, { mode: 'no-cors', credentials: 'omit' }).then(done, done)
        }
        setTimeout(next, 5)
      }
      addEventListener('load', next)`
    site = createServer((_, reply) =>
      reply.setHeader('content-type', 'text/html').end(`<!doctype html><title>x</title><script>${script}</script>`),
    )
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
    sitePort = (site.address() as AddressInfo).port
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    site?.close()
    await node?.stop()
  })

  for (const [what, host] of [
    ['another site', 'evil.localhost'],
    ['another port of the same host', '127.0.0.1'],
  ] as const)
    test(`${what}: every request with the right key is answered, the first with a new key too`, async () => {
      const made = await node.request('PUT', '/keys', { name: `fresh-${host}`, scopes: ['read'] })
      const { key } = made.json<{ key: string }>()
      const page = await (await browser.newContext()).newPage()
      await page.goto(`http://${host}:${sitePort}/`)
      const answered = (): Promise<number> => page.evaluate('window.answered ?? 0')
      await waitFor('requests of the page', async () => ((await answered()) > 20 ? true : null))
      const statuses: Record<string, number> = {}
      for (let n = 0; n < ASKED; n++) {
        const { status } = await node.request('GET', '/state', undefined, { 'x-api-key': n % 2 === 0 ? key : node.key })
        statuses[status] = (statuses[status] ?? 0) + 1
      }
      assert.deepEqual(statuses, { 200: ASKED })
      assert.ok((await answered()) > 20, 'the page asks on')
      await page.context().close()
    })
})
