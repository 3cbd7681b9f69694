// Nodes of py-ipv8, many in one Python process (ipv8-nodes.py), spoken to in JSON lines. They need IPV8_DIR, a checkout
// of py-ipv8 at tag 3.2, which is no part of this project.

import { join } from 'node:path'
import { JsonLinesChild } from '../nodes/json-lines-child.ts'
import { projectRoot } from '../project-root.ts'

const PYTHON = '/usr/bin/python3'

/** Flags of peers as py-ipv8 lists them. */
export const PY_RELAY = [1, 8]
export const PY_EXIT = [1, 2, 4, 8]

/** One of them. Keys in hexadecimal. */
export interface PyNode {
  readonly number: number
  readonly port: number
  readonly publicKey: string
  readonly privateKey: string
}

/** A circuit that one of them built. */
export interface PyCircuit {
  readonly circuit: number
  readonly ms: number
  readonly hops: readonly string[]
}

/** The process. */
export class PyNodes {
  readonly #child = new JsonLinesChild('py-ipv8', PYTHON, [join(projectRoot, 'test/kit/peers/ipv8-nodes.py')])
  readonly #options: { readonly seed: string; readonly community: string }

  /** `seed`: keys are made of it; `community`: id of the tunnel overlay in hexadecimal. */
  constructor(options: { readonly seed: string; readonly community: string }) {
    this.#options = options
  }

  /** Starts a node for each list of flags; they greet `greet` and each other. */
  async start(flags: readonly (readonly number[])[], greet: readonly number[] = []): Promise<readonly PyNode[]> {
    const { nodes } = await this.#child.call('start', { ...this.#options, flags, greet })
    return nodes as PyNode[]
  }

  /** All of them greet these ports, too. */
  async greet(ports: readonly number[]): Promise<void> {
    await this.#child.call('greet', { ports })
  }

  /** Public keys of whom a node knows with flags. */
  async candidates(node: number): Promise<ReadonlySet<string>> {
    const { candidates } = await this.#child.call('candidates', { node })
    return new Set((candidates as { publicKey: string }[]).map(({ publicKey }) => publicKey))
  }

  /** Builds a circuit; `exit`: public key of the last hop, `first`: port of the first. */
  async build(node: number, hops: number, fixed: { exit?: string; first?: number } = {}): Promise<PyCircuit> {
    return (await this.#child.call('build', { node, hops, ...fixed })) as unknown as PyCircuit
  }

  /** Sends datagrams over a circuit to a UDP echo, and says whether all came back. */
  async echo(node: number, circuit: number, port: number, size = 100): Promise<boolean> {
    return (await this.#child.call('echo', { node, circuit, port, size }))['same'] === true
  }

  /** The same over a linked circuit, to a seeder that echoes. */
  async hiddenEcho(node: number, circuit: number, size = 100): Promise<boolean> {
    return (await this.#child.call('hidden_echo', { node, circuit, size }))['same'] === true
  }

  /** Any other command; see the script. */
  call(op: string, fields: object = {}): Promise<Record<string, unknown>> {
    return this.#child.call(op, fields)
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }
}
