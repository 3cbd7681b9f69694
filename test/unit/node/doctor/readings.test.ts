// What the doctor reads out of the kernel's tables, and how it judges clocks and limits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkClock } from '../../../../src/node/doctor/clock.ts'
import { judgeLimit } from '../../../../src/node/doctor/limits.ts'
import { holdersIn, listenersIn } from '../../../../src/node/doctor/lock-holder.ts'
import { isNetwork, mountOf, parseMounts } from '../../../../src/io/files/mounts.ts'

const MOUNTS = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:5 / /proc rw,nosuid - proc proc rw
40 22 0:40 / /mnt/my\\040nas rw - nfs4 nas:/vol rw,vers=4.2
41 22 0:41 / /mnt/ro ro,relatime - ext4 /dev/sdb1 ro
42 22 0:42 / /mnt/flip rw,relatime - ext4 /dev/sdc1 ro,errors=remount-ro
garbage
`

test('the mount of a path is the nearest above it', () => {
  const mounts = parseMounts(MOUNTS)
  assert.deepEqual(
    ['/', '/srv/x', '/mnt/my nas/media', '/mnt/my nasty', '/mnt/ro'].map(path => mountOf(path, mounts)?.point),
    ['/', '/', '/mnt/my nas', '/', '/mnt/ro'],
  )
  const nas = mountOf('/mnt/my nas', mounts)
  assert.ok(nas !== null && isNetwork(nas) && !nas.readOnly)
  assert.equal(mountOf('/mnt/ro/a', mounts)?.readOnly, true)
  assert.equal(mountOf('/mnt/flip', mounts)?.readOnly, true, 'a disk that failed is read-only by itself')
  assert.equal(mountOf('/x', []), null)
})

test('who holds a lock, and which sockets listen', () => {
  const locks = `1: POSIX  ADVISORY  WRITE 812 08:01:777 1073741825 1073741825
1: -> POSIX  ADVISORY  WRITE 9 08:01:777 0 0
2: POSIX  ADVISORY  READ 813 08:01:777 0 EOF
3: FLOCK  ADVISORY  WRITE 814 08:01:778 0 EOF
`
  assert.deepEqual(holdersIn(locks, 777), [812])
  assert.deepEqual(holdersIn(locks, 778), [814])
  assert.deepEqual(holdersIn('', 1), [])
  const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:CBE2 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1
   1: 0100007F:CBE2 0100007F:1234 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1
`
  assert.deepEqual(listenersIn(tcp, 52194), ['4711'])
})

test('a clock before this program, or behind what was written, is wrong', () => {
  const now = Date.UTC(2026, 10, 21)
  assert.equal(checkClock(0, null).state, 'problem')
  assert.equal(checkClock(now, null).state, 'ok')
  assert.equal(checkClock(now, now + 1000).state, 'ok')
  assert.equal(checkClock(now, now + 3_600_000).state, 'warning')
})

test('limits of open files against what the settings need', () => {
  const limits = (hard: string): string =>
    `Max processes  1  1  processes\nMax open files            1024                 ${hard}              files\n`
  const needs = { openFiles: 256, connections: 400 }
  assert.equal(judgeLimit(limits('90'), needs, null).state, 'problem')
  const little = judgeLimit(limits('512'), needs, null)
  assert.equal(little.state, 'warning')
  // As the node itself shares them out (decision 0478).
  assert.match(
    little.text,
    /need 1104: max_connections is held at 162, open_files at 108, clients of the interface at 108/,
  )
  assert.equal(judgeLimit(limits('1103'), needs, null).state, 'warning')
  assert.equal(judgeLimit(limits('1104'), needs, null).state, 'ok')
  assert.equal(judgeLimit(limits('unlimited'), needs, 5000).state, 'ok')
  assert.equal(judgeLimit(limits('2000'), needs, 1900).state, 'warning')
  assert.equal(judgeLimit('', needs, null).state, 'ok')
})
