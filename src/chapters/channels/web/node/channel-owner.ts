// Whether a key is that of a channel. Its id is the SHA-1 of its key (src/chapters/channels/wire/types.ts). Pages that
// came over plain HTTP from another machine have no hashes of the browser: then nobody is known as the owner.

/** Whether a key is that of a channel. `key`: hexadecimal digits. */
export async function isKeyOf(cid: string, key: string): Promise<boolean> {
  const hashes = crypto.subtle as SubtleCrypto | undefined
  if (hashes === undefined) return false
  const bytes = Uint8Array.from(key.match(/../g) ?? [], digits => Number.parseInt(digits, 16))
  const digest = new Uint8Array(await hashes.digest('SHA-1', bytes))
  return [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('') === cid
}

/** Those of `keys` that are the channel's own. */
export async function ownerKeys(cid: string, keys: Iterable<string>): Promise<ReadonlySet<string>> {
  const owners = new Set<string>()
  for (const key of new Set(keys)) if (await isKeyOf(cid, key)) owners.add(key)
  return owners
}
