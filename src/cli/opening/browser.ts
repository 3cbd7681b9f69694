// Opens a page in the browser of whoever sits at this machine. The address holds a secret, and arguments of programs
// can be read by every user of the machine: the browser is given a file that leads there, which its owner alone can
// read.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What opens pages and is there for so long has opened one. */
const STAYS_MS = 2_000

/** What opens files as a user's double click does; null: there is no screen to open them at. */
export function openerOf(platform: NodeJS.Platform, env: Readonly<Record<string, string | undefined>>): string | null {
  // Whoever became another user has no screen of that one.
  if (env['SUDO_USER'] !== undefined) return null
  if (platform === 'darwin') return 'open'
  if (platform === 'win32') return null
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? 'xdg-open' : null
}

/** The page that leads to `link`. */
export function leadingPage(link: string): string {
  const quoted = link.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`)
  return (
    '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Tributary</title>' +
    `<meta http-equiv="refresh" content="0;url=${quoted}"><a href="${quoted}">Open the dashboard</a>\n`
  )
}

/** A page that was given to a browser. */
export interface OpenedPage {
  /** False: what opens pages is not there, or failed. */
  readonly isOpened: Promise<boolean>
  /** Takes its file away. */
  remove(): void
}

/** Gives a page that leads to `link` to the browser. */
export function openPage(opener: string, link: string): OpenedPage {
  // Of mode 0700, with a name that nobody can guess.
  const folder = mkdtempSync(join(tmpdir(), 'tributary-'))
  const file = join(folder, 'dashboard.html')
  writeFileSync(file, leadingPage(link), { mode: 0o600, flag: 'wx' })
  const isOpened = new Promise<boolean>(resolve => {
    const child = spawn(opener, [pathToFileURL(file).href], { stdio: 'ignore', detached: true })
    const settle = (opened: boolean): void => {
      clearTimeout(late)
      child.unref()
      resolve(opened)
    }
    // Some stay as long as the browser does.
    const late = setTimeout(settle, STAYS_MS, true)
    child.once('error', () => settle(false))
    child.once('close', code => settle(code === 0))
  })
  return { isOpened, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
