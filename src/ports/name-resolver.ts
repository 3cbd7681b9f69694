// Host names to addresses, each judged by the address policy.

/**
 * `public`: anyone may be sent there (also private addresses the owner allowed); `private`: loopback and local
 * networks; `refused`: no node should connect there (unspecified, multicast, broadcast, reserved).
 */
export type AddressClass = 'public' | 'private' | 'refused'

/** An address of a name, judged. */
export interface ResolvedAddress {
  /** Canonical literal. */
  readonly ip: string
  readonly family: 4 | 6
  readonly class: AddressClass
}

/** Host names to judged addresses. */
export interface NameResolver {
  /**
   * All addresses of a name or literal, in the order to try them. Rejects with AppError SourceFailed when there is
   * none. Answers are kept for a short time.
   */
  resolve(host: string): Promise<readonly ResolvedAddress[]>
}
