// The line between the two hosts of utp-hosts.ts as uTP sees it: straight over the wires, or through a relay
// (udp-relay.ts) between them that loses and delays. The side that connects gets the address at which the other one
// seems to be.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { PeerAddress } from '../../../src/base/ids.ts'
import type { UtpHosts } from './utp-hosts.ts'

const relayScript = fileURLToPath(new URL('../peers/udp-relay.js', import.meta.url))

/** What the line does to each datagram. */
export interface UtpLineShape {
  /** Share from 0 to 1. */
  readonly loss: number
  /** One way. */
  readonly delayMs: number
  readonly reorder?: number
  readonly duplicate?: number
}

/** A line that stands. */
export interface UtpLine {
  /** Where near finds the program in far, and the other way round. */
  readonly farSeen: PeerAddress
  readonly nearSeen: PeerAddress
  stop(): Promise<void>
}

/** Joins a program in near with one in far. No loss and no delay: no relay. */
export async function startUtpLine(
  hosts: UtpHosts,
  near: PeerAddress,
  far: PeerAddress,
  shape: UtpLineShape,
): Promise<UtpLine> {
  const { loss, delayMs, reorder = 0, duplicate = 0 } = shape
  if (loss + delayMs + reorder + duplicate === 0) return { farSeen: far, nearSeen: near, stop: async () => undefined }
  const text = ({ ip, port }: PeerAddress): string => `${ip}:${port}`
  const [left, right] = [`${hosts.near.gatewayIp}:0`, `${hosts.far.gatewayIp}:0`]
  const sides = ['--left', left, '--left-peer', text(near), '--right', right, '--right-peer', text(far)]
  const line = ['--loss', loss, '--delay', delayMs, '--reorder', reorder, '--duplicate', duplicate].map(String)
  const child = spawn(process.execPath, [relayScript, ...sides, ...line], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const ready = await firstLine(child)
    const seen = JSON.parse(ready) as { left: PeerAddress; right: PeerAddress }
    return { farSeen: seen.left, nearSeen: seen.right, stop: () => stop(child) }
  } catch (error) {
    await stop(child)
    throw error
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  for await (const line of lines) return line
  throw new Error('the relay ended')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
