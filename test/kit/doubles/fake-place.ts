// A NetworkPlace that a test moves about.

import type { LocalEndpoint, NetworkPlace } from '../../../src/ports/network-place.ts'

/** Has the addresses it was last told. */
export class FakePlace implements NetworkPlace {
  #endpoints: readonly LocalEndpoint[]
  readonly #watchers = new Set<() => void>()

  constructor(...ips: string[]) {
    this.#endpoints = ips.map(ip => ({ ip, port: null }))
  }

  get watchers(): number {
    return this.#watchers.size
  }

  localIp(family: 4 | 6): string | null {
    return this.#endpoints.find(({ ip }) => ip.includes(':') === (family === 6))?.ip ?? null
  }

  endpoints(): readonly LocalEndpoint[] {
    return this.#endpoints
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  /** Other addresses from now on. */
  move(...ips: string[]): void {
    this.setEndpoints(ips.map(ip => ({ ip, port: null })))
  }

  setEndpoints(endpoints: readonly LocalEndpoint[]): void {
    this.#endpoints = endpoints
    for (const changed of [...this.#watchers]) changed()
  }
}
