// By keyboard alone, at 200 % zoom and with forced colours: a magnet link is added, one of its files chosen, played and
// removed. What a screen reader is given meanwhile (roles, names, states, live regions) is compared as a whole.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { makeFilm } from '../../kit/content/films.ts'
import { axeFindings, CHROMIUM, startBrowser, untilInPage, watchedPage } from '../../kit/nodes/browser.ts'
import { downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { addComplete, PLAYED } from '../player/scene.ts'

/** A window of 1440 by 900 at 200 %. */
const ZOOMED = { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }
/** Presses of Tab from one end of a page to the other, and some. */
const MAX_TABS = 60

/** Notes every text that a live region has had. */
const LISTEN = `(() => {
  globalThis.said = []
  new MutationObserver(() => {
    for (const region of document.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
      const text = region.textContent.trim()
      if (text !== '' && !said.includes(text)) said.push(text)
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
})()`
/** Role or element, name, and whether it can be seen that it has the focus. */
const FOCUS = `(() => {
  const element = document.activeElement
  const name = element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent
  return (element.role ?? element.localName) + ' ' + name.trim()
})()`
/** Of a field that is not shown its label shows it; the content as a whole needs no frame. */
const FOCUS_IS_SEEN = `[document.activeElement, ...(document.activeElement.labels ?? [])]
  .some(element => element === document.body || element.id === 'content' || getComputedStyle(element).outlineStyle !== 'none')`

/** What differs from run to run, shown as a letter or left out. */
const told = (tree: string): string =>
  tree
    .replaceAll(/[0-9a-f]{40}/g, 'H')
    .replaceAll(/[\d.]+ [GT]iB free/g, 'F free')
    // Shown as long as it has not faded.
    .replaceAll(/↓ [\d.]+ (?:Ki|Mi)?B\/s · /g, '')
    .replaceAll(/x\.pe=127\.0\.0\.1:\d+/g, 'x.pe=P')
    .replaceAll(/"Default: .*"/g, '"Default: D"')

const CHOOSING = `- dialog "Add downloads":
  - banner:
    - heading "Add downloads" [level=2]
    - button "Close"
  - text: Magnet links, web addresses or paths on the node, one a line
  - textbox "Magnet links, web addresses or paths on the node, one a line":
    - /placeholder: magnet:?xt=urn:btih:…
    - text: magnet:?xt=urn:btih:H&dn=Two%20films&x.pe=P
  - text: Choose torrent files
  - button "Choose torrent files"
  - text: or drop them anywhere
  - list "What is added":
    - listitem:
      - text: Two films
      - button "Choose files of Two films" [expanded]: Choose files
      - status: 2 of 3 files, 356 KiB of 1.04 MiB
      - searchbox "Find files"
      - button "Select all"
      - button "Select none"
      - tree "Files of Two films":
        - treeitem "notes.txt 5 B" [checked] [level=1]
        - treeitem "one.webm 356 KiB" [checked] [level=1]
        - treeitem "two.webm 712 KiB" [level=1]
`
const SELECTED = `    - toolbar "Selected downloads":
      - strong: 1 selected
      - button "Resume"
      - button "Stop"
      - button "Recheck"
      - button "Remove"
      - button "More"
      - button "Clear"
    - grid "Downloads":
      - rowgroup:
        - row "Seeding Two films Seeding · 1.04 MiB" [selected]:
          - gridcell "Seeding"
          - gridcell "Two films Seeding · 1.04 MiB"
`
const REMOVING = `- dialog "Remove":
  - heading "Remove" [level=2]
  - button "Close"
  - paragraph: Two films
  - checkbox "Delete the files too. They cannot be brought back."
  - text: Delete the files too. They cannot be brought back.
  - button "Keep"
  - button "Remove"`

describe('by keyboard alone', { skip: needs(CHROMIUM, 'ffmpeg'), concurrency: 1, timeout: 120_000 }, () => {
  let folder = ''
  let seeder: NodeProcess
  let node: NodeProcess
  let browser: Browser
  let infohash = ''
  let magnet = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-keyboard-'))
    await mkdir(join(folder, 'into'))
    const starts = [startNode(), startNode({ settings: { 'download_defaults.saveas': join(folder, 'into') } })] as const
    ;[seeder, node] = await Promise.all(starts)
    const film = await makeFilm({ container: 'webm', seconds: 8 })
    infohash = await addComplete(seeder, folder, 'Two films', [
      { path: 'one.webm', content: film },
      { path: 'two.webm', content: Buffer.concat([film, film]) },
      { path: 'notes.txt', content: Buffer.from('notes') },
    ])
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    magnet = `magnet:?xt=urn:btih:${infohash}&dn=Two%20films&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}`
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await Promise.all([node?.stop(), seeder?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  const press = async (page: Page, ...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** Tab until what is named has the focus; each place on the way shows that it has it. */
  const tabTo = async (page: Page, place: string) => {
    const passed: string[] = []
    while (passed.at(-1) !== place && passed.length < MAX_TABS) {
      await page.keyboard.press('Tab')
      passed.push(await page.evaluate<string>(FOCUS))
      assert.equal(await page.evaluate(FOCUS_IS_SEEN), true, `nothing shows the focus of ${passed.at(-1)}`)
    }
    assert.equal(passed.at(-1), place, passed.join('\n'))
  }
  const treeOf = async (page: Page, selector: string) => told(await page.locator(selector).ariaSnapshot())
  const hasFocus = (page: Page, place: RegExp) =>
    waitFor(`focus ${place}`, async () => place.test(await page.evaluate<string>(FOCUS)))

  test('a magnet link is added, one of its files chosen, played and removed', async () => {
    const { page, check } = await watchedPage(browser, node.baseUrl, { ...ZOOMED, forcedColors: 'active' })
    await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await page.goto(node.baseUrl)
    await page.locator('.dot.live').waitFor({ state: 'attached' })
    await page.evaluate(LISTEN)

    await tabTo(page, 'button Add')
    await press(page, 'Enter')
    await hasFocus(page, /^textarea Magnet links/)
    await page.keyboard.insertText(magnet)
    await tabTo(page, 'button Show files: Two films')
    await press(page, 'Enter')
    await page.getByRole('treeitem', { name: 'two.webm' }).waitFor()
    // One button for all of it: it has the focus still.
    await hasFocus(page, /^button Choose files of Two films$/)
    await tabTo(page, 'tree Files of Two films')
    await press(page, 'End', 'Space')
    assert.ok((await treeOf(page, 'dialog')).startsWith(CHOOSING), await treeOf(page, 'dialog'))
    assert.deepEqual(await axeFindings(page), [])
    await tabTo(page, 'button Add')
    await press(page, 'Enter')
    // The list with its button is not there any more.
    await page.getByRole('region', { name: 'Two films' }).waitFor()
    await hasFocus(page, /^main /)
    await downloadUntil(node, infohash, ({ status }) => status === 'DLSTATUS_SEEDING')
    await untilInPage(page, `said.includes('Finished: Two films')`)

    await tabTo(page, 'button Play')
    await press(page, 'Enter')
    await untilInPage(page, `${PLAYED} > 0.5`)
    assert.match(await treeOf(page, 'main'), /- region "one\.webm":\n {4}- link "Back":/)
    assert.deepEqual(await axeFindings(page), [])
    await hasFocus(page, /^main /)
    await tabTo(page, 'a Back')
    await press(page, 'Enter')
    await page.getByRole('region', { name: 'Two films' }).waitFor()
    await tabTo(page, 'button Close')
    await press(page, 'Enter')

    await tabTo(page, 'grid Downloads')
    await press(page, 'Home', 'Space')
    await page.getByRole('toolbar', { name: 'Selected downloads' }).waitFor()
    assert.ok((await treeOf(page, 'main')).includes(SELECTED), await treeOf(page, 'main'))
    await press(page, 'Delete')
    await page.getByRole('dialog').waitFor()
    assert.equal(await treeOf(page, 'dialog'), REMOVING)
    await tabTo(page, 'button Remove')
    await press(page, 'Enter')
    await hasFocus(page, /^grid Downloads/)
    await untilInPage(page, `said.some(text => text.startsWith('1 download will be removed.'))`)
    await tabTo(page, 'button Remove now')
    await press(page, 'Enter')
    await waitFor(
      'the removal',
      async () => (await node.get<{ downloads: unknown[] }>('/downloads')).downloads.length === 0,
    )
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor()
    check()
    await page.context().close()
  })
})
