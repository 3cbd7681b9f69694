// Open files and sockets as the kernel knows them: those of this process, with their states, and no others.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { openFiles, openSockets } from '../../../src/io/process/process-files.ts'
import { socketAddress } from '../../../src/io/net/socket-tables.ts'

const portOf = (address: unknown): number => (address as AddressInfo).port

test('regular files with their descriptors, also deleted ones', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-open-'))
  const handle = await open(path.join(folder, 'a file'), 'w')
  try {
    assert.ok((await openFiles()).some(file => file.fd === handle.fd && file.path === path.join(folder, 'a file')))
    assert.ok((await openFiles()).every(file => file.path.startsWith('/')))
    await rm(path.join(folder, 'a file'))
    assert.ok((await openFiles()).some(file => file.fd === handle.fd && file.path.endsWith('a file (deleted)')))
  } finally {
    await handle.close()
    await rm(folder, { recursive: true })
  }
})

test('TCP, UDP and Unix sockets with family, type, state and addresses', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-sockets-'))
  const server = createServer().listen(0, '127.0.0.1')
  const local = createServer().listen(path.join(folder, 'a socket'))
  const udp = createSocket('udp4').bind(0, '127.0.0.1')
  await Promise.all([once(server, 'listening'), once(local, 'listening'), once(udp, 'listening')])
  const port = portOf(server.address())
  const accepting = once(server, 'connection')
  const client = connect(port, '127.0.0.1')
  const [accepted] = (await accepting) as [ReturnType<typeof connect>]
  try {
    const rows = (await openSockets()).map(({ fd: _fd, ...row }) => row)
    const has = (row: object) =>
      assert.ok(
        rows.some(each => JSON.stringify(each) === JSON.stringify(row)),
        JSON.stringify(rows),
      )
    const own = `127.0.0.1:${port}`
    const other = `127.0.0.1:${client.localPort}`
    has({ family: 2, type: 1, status: 'LISTEN', laddr: own, raddr: '-' })
    has({ family: 2, type: 1, status: 'ESTABLISHED', laddr: own, raddr: other })
    has({ family: 2, type: 1, status: 'ESTABLISHED', laddr: other, raddr: own })
    has({ family: 2, type: 2, status: 'NONE', laddr: `127.0.0.1:${portOf(udp.address())}`, raddr: '-' })
    has({ family: 1, type: 1, status: 'NONE', laddr: path.join(folder, 'a socket'), raddr: '-' })
  } finally {
    client.destroy()
    accepted.destroy()
    server.close()
    local.close()
    udp.close()
    await rm(folder, { recursive: true })
  }
})

test('sockets of other processes of the same network are not among them', async () => {
  const code = "require('net').createServer().listen(0,'127.0.0.1',function(){console.log(this.address().port)})"
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  try {
    const laddr = `127.0.0.1:${line.toString().trim()}`
    assert.ok(!(await openSockets()).some(socket => socket.laddr === laddr))
  } finally {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
})

test('addresses read as they are written', { skip: os.endianness() === 'BE' }, () => {
  assert.equal(socketAddress('0100007F:1F90'), '127.0.0.1:8080')
  assert.equal(socketAddress('00000000:0000'), '-')
  assert.equal(socketAddress('00000000:0050'), '0.0.0.0:80')
  assert.equal(socketAddress('00000000000000000000000001000000:0050'), '[::1]:80')
  assert.equal(socketAddress('B80D0120000000000000000001000000:0050'), '[2001:db8::1]:80')
  assert.equal(socketAddress('0000000000000000FFFF00000100007F:0050'), '[::ffff:127.0.0.1]:80')
})
