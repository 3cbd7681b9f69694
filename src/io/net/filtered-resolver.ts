// Names looked up under the owner's lists of addresses: what they hold is refused, whatever name leads there. For
// trackers and web seeds; names that a proxy looks up are not seen here.

import type { NameResolver, ResolvedAddress } from '../../ports/name-resolver.ts'

/** NameResolver that applies the lists to the answers of another one. */
export class FilteredResolver implements NameResolver {
  readonly #resolver: NameResolver
  readonly #blocks: (ip: string) => boolean

  /** `blocks`: asked for each address, each time. */
  constructor(resolver: NameResolver, blocks: (ip: string) => boolean) {
    this.#resolver = resolver
    this.#blocks = blocks
  }

  async resolve(host: string): Promise<readonly ResolvedAddress[]> {
    const found = await this.#resolver.resolve(host)
    return found.map(address => (this.#blocks(address.ip) ? { ...address, class: 'refused' as const } : address))
  }
}
