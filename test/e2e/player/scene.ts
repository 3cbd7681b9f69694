// A node with one complete download, for the tests of the player page.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { type MadeFile, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type WatchedPage, watchedPage } from '../../kit/nodes/browser.ts'
import { addDownload, downloadComplete } from '../../kit/nodes/downloads-client.ts'
import type { NodeProcess } from '../../kit/nodes/node-process.ts'

/** Seconds of the film that were shown. */
export const PLAYED = `(document.querySelector('video')?.currentTime ?? 0)`

/** Adds a torrent of these files that are all there, in a folder of its own; its info hash. */
export async function addComplete(
  node: NodeProcess,
  folder: string,
  name: string,
  files: readonly MadeFile[],
): Promise<string> {
  const made = makeTorrent({ name, files, pieceLength: 64 * 1024 })
  for (const { path, content } of made.files) {
    const target = join(folder, name, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
  }
  await writeFile(join(folder, `${name}.torrent`), made.torrent)
  const infohash = await addDownload(node, join(folder, `${name}.torrent`), folder)
  await downloadComplete(node, infohash)
  return infohash
}

/** A page of the dashboard that has the key, at the player of a file. */
export async function playerPage(
  browser: Browser,
  node: NodeProcess,
  infohash: string,
  file: number,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await watchedPage(browser, node.baseUrl, options)
  await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
  await watched.page.goto(`${node.baseUrl}/#/play/${infohash}/${file}`)
  await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
  return watched
}
