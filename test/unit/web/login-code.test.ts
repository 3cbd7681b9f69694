// Codes in addresses, and what a device is called among the keys.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceName } from '../../../src/web/model/device-name.ts'
import { loginCodeIn } from '../../../src/web/model/login-code.ts'

test('the code of a sign-in link; other addresses have none', () => {
  assert.equal(loginCodeIn('#/login/AbC_-9'), 'AbC_-9')
  assert.equal(loginCodeIn('#/login/'), '-', 'taken out of the address, and refused by the node')
  assert.equal(loginCodeIn(`#/login/${'x'.repeat(1000)}`)?.length, 64)
  for (const other of ['', '#', '#/', '#/downloads', '#/login', '#/loginx/a', '#/downloads/login/a'])
    assert.equal(loginCodeIn(other), null, other)
})

test('a device is called after its browser and system, in letters that names of keys may have', () => {
  const gecko = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile/15E148 Safari/604.1'
  const android = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36'
  const edge = 'Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0'
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/18.0 Safari/605.1.15'
  for (const [text, name] of [
    [gecko, 'firefox-linux'],
    [iphone, 'safari-iphone'],
    [android, 'chrome-android'],
    [edge, 'edge-windows'],
    [mac, 'safari-mac'],
    ['Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0 Safari/537.36', 'chrome-linux'],
    ['', 'browser-device'],
    ['<script>', 'browser-device'],
  ] as const)
    assert.equal(deviceName(text), name)
})
