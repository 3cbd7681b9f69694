// How the dashboard is opened: by a file that its owner alone can read, never by an argument with the link in it.

import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { leadingPage, openerOf, openPage } from '../../../../src/cli/opening/browser.ts'

test('pages are opened where there is a screen of this user', () => {
  assert.equal(openerOf('darwin', {}), 'open')
  assert.equal(openerOf('linux', { DISPLAY: ':0' }), 'xdg-open')
  assert.equal(openerOf('linux', { WAYLAND_DISPLAY: 'wayland-0' }), 'xdg-open')
  assert.equal(openerOf('linux', { DISPLAY: ':0', SUDO_USER: 'anna' }), null)
  assert.equal(openerOf('linux', { DISPLAY: '' }), null)
  assert.equal(openerOf('win32', {}), null)
})

test('the browser is given a file that leads to the link, readable by its owner alone, and gone later', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-opener-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [opener, given] = [join(folder, 'opener'), join(folder, 'given')]
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$*" > ${given}\n`)
  chmodSync(opener, 0o700)
  const page = openPage(opener, 'http://127.0.0.1:1/#/login/secret')
  assert.equal(await page.isOpened, true)
  const argument = readFileSync(given, 'utf8')
  assert.match(argument, /^file:\/\/\S+$/)
  assert.ok(!argument.includes('secret'))
  const path = fileURLToPath(argument)
  assert.equal(statSync(path).mode & 0o077, 0)
  assert.equal(statSync(dirname(path)).mode & 0o077, 0)
  assert.match(readFileSync(path, 'utf8'), /url=http:\/\/127.0.0.1:1\/#\/login\/secret"/)
  page.remove()
  assert.equal(existsSync(dirname(path)), false)
})

test('what opens pages may not be there; a link cannot leave its place in the page', async () => {
  const page = openPage(join(tmpdir(), 'no-such-opener'), 'http://x/')
  assert.equal(await page.isOpened, false)
  page.remove()
  assert.doesNotMatch(leadingPage('http://x/"><script>'), /"><script/)
})
