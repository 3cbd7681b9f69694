// Names and paths out of torrents: nothing unsafe comes through, nothing safe is changed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  MAX_NAME_BYTES,
  MAX_PATH_BYTES,
  MAX_PATH_PARTS,
  safeName,
  safePath,
} from '../../../src/wire/metainfo/safe-path.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')
const name = (text: string): string | null => safeName(bytes(text))
const path = (root: string | null, ...parts: string[]): string => safePath(root, parts.map(bytes)).join('|')

test('leaves good names alone', () => {
  for (const good of [
    'a',
    'Film: what? <1>|"*".mkv',
    '.hidden',
    'é',
    'e\u0301',
    '日本語.txt',
    ' lead',
    'a..b',
    'console',
    'com10',
    '👩‍👩‍👧.png',
  ]) {
    assert.equal(name(good), good)
  }
})

test('names that name nothing are null', () => {
  for (const nothing of ['', '.', '..', '...', ' ', '. .', '\ufeff'])
    assert.equal(name(nothing), null, JSON.stringify(nothing))
})

test('separators, control characters and direction marks are replaced', () => {
  assert.equal(name('a/b\\c'), 'a_b_c')
  assert.equal(name('../../etc/passwd'), '.._.._etc_passwd')
  assert.equal(name('a\0b\nc\u007f\u0085'), 'a_b_c__')
  assert.equal(name('photo\u202egpj.exe'), 'photo_gpj.exe')
  // Each of them: U+061C turns text round as the others do.
  for (const mark of '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069')
    assert.equal(name(`a${mark}b`), 'a_b', mark.codePointAt(0)?.toString(16))
})

test('bytes that are not UTF-8 are replaced', () => {
  assert.equal(safeName(Buffer.from([0x61, 0xff, 0x62])), 'a_b')
  // An overlong slash (C0 AF) must not become one.
  assert.doesNotMatch(safeName(Buffer.from([0x61, 0xc0, 0xaf, 0x62])) ?? '', /\//)
})

test('device names of Windows are escaped, with any ending', () => {
  for (const device of ['CON', 'nul', 'aux.txt', 'Com1', 'LPT9.tar.gz', 'COM¹', 'con .txt']) {
    assert.equal(name(device), `_${device}`)
  }
})

test('dots and spaces at the end go', () => {
  assert.equal(name('a. .'), 'a')
  assert.equal(name('nul. '), '_nul')
  assert.ok((name(`${' '.repeat(100_000)}x`)?.length ?? 0) <= 255)
  assert.equal(name(`a${' '.repeat(200_000)}`), 'a')
})

test('long names are cut between characters and keep their ending', () => {
  const cut = name(`${'é'.repeat(300)}.mkv`) ?? ''
  assert.ok(Buffer.byteLength(cut) <= MAX_NAME_BYTES && Buffer.byteLength(cut) > MAX_NAME_BYTES - 3)
  assert.match(cut, /^é+\.mkv$/)
  assert.equal(Buffer.byteLength(name('x'.repeat(256)) ?? ''), 255)
  assert.equal(name(`a.${'x'.repeat(300)}`), `a.${'x'.repeat(253)}`)
})

test('a safe name is its own safe name', () => {
  for (const raw of ['CON', 'a/b', 'x. . ', `${'a'.repeat(254)}. b`, `${'é'.repeat(400)}.tar`, '\u0000']) {
    const once = name(raw) ?? ''
    assert.equal(name(once), once, raw)
  }
})

test('parts that lead out or name nothing are left out of paths', () => {
  assert.equal(path('root', '..', 'a', '', '.', 'b'), 'root|a|b')
  assert.equal(path('root', '/etc/passwd'), 'root|_etc_passwd')
  assert.equal(path('root', '..'), 'root|_')
  assert.equal(path(null), '_')
})

test('deep and long paths keep root and file', () => {
  const deep = safePath(
    'root',
    Array.from({ length: 1000 }, (_, index) => bytes(`d${index}`)),
  )
  assert.equal(deep.length, MAX_PATH_PARTS)
  assert.equal(deep[0], 'root')
  assert.equal(deep.at(-1), 'd999')
  const long = safePath(
    'root',
    Array.from({ length: 30 }, () => bytes('x'.repeat(200))),
  )
  assert.ok(Buffer.byteLength(long.join('/')) <= MAX_PATH_BYTES)
})
