// A resolver that sends nothing: literal addresses are judged, names are refused. Used where a proxy resolves names, so
// that no question about them leaves this node.

import { AppError } from '../../base/errors.ts'
import type { NameResolver, ResolvedAddress } from '../../ports/name-resolver.ts'
import { canonicalIp } from '../../wire/net/compact-address.ts'
import type { AddressPolicy } from './address-policy.ts'

/** NameResolver for literal addresses only. */
export class LiteralResolver implements NameResolver {
  readonly #policy: AddressPolicy

  constructor(policy: AddressPolicy) {
    this.#policy = policy
  }

  resolve(host: string): Promise<readonly ResolvedAddress[]> {
    const ip = canonicalIp(host)
    if (ip === null) return Promise.reject(new AppError('SourceFailed', 'host names are left to the proxy'))
    return Promise.resolve([{ ip, family: ip.includes(':') ? 6 : 4, class: this.#policy.classify(host) }])
  }
}
